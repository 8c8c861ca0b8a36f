"""Options of the scripts that score rules on labelled sets. Standard library only, as it is read first."""

from __future__ import annotations

import argparse


def split_parser(doc: str) -> argparse.ArgumentParser:
    """A parser with `--split`, described by the first line of a script's docstring."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--split", choices=["tuning", "final", "all"], default="tuning")
    return parser
