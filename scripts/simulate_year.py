"""A year of a person's use, through the real engine: what is still known, and how the store grows.

python scripts/simulate_year.py [--seed N] [--plot FILE] [--models DIR]
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import _environment

PLOT = _environment.ROOT / "scripts" / "simulation" / "year.svg"
# Importing the client starts nothing here.
__memoryd_script__ = True


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from _temporary import leave_tidily
    from memory_client.errors import MemorydError
    from simulation import report
    from simulation.year import Simulation

    leave_tidily()
    try:
        with TemporaryDirectory(prefix="memoryd-year-", ignore_cleanup_errors=True) as root:
            home = Path(root) / "home"
            if options.models:
                home.mkdir(mode=0o700)
                shutil.copytree(options.models, home / "models")
            year = Simulation(home, options.seed, _notice).run()
    except MemorydError as error:
        print(f"simulate_year: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print("\n".join(report.lines(year)))
    options.plot.write_text(report.plot(year), encoding="utf-8")
    _notice(f"the plot is in {options.plot}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=7, help="another person (7)")
    parser.add_argument("--plot", type=Path, default=PLOT, help="where the plot is written, as SVG")
    parser.add_argument(
        "--models", type=Path, help="the folder `models` of a data directory, to save minutes"
    )
    return parser


def _notice(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
