"""Measure retrieval on a data set, through the client, against a daemon of its own in a temporary directory.

python scripts/eval_retrieval.py --dataset PATH [--mode auto|semantic|lexical|hybrid] [--k 5 10 20]
                                 [--engine auto|original] [--questions FILE] [--out results.jsonl]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import _environment
from evaluation.datasets import DatasetError, load
from evaluation.report import table, write_lines
from evaluation.runner import EvaluationError, run

# Importing the client starts nothing here; the first call does.
__memoryd_script__ = True

ENGINE_SECONDS = 120.0


def main() -> int:
    _environment.require_python()
    options = _parser().parse_args()
    _environment.run_where_installed()
    from _temporary import leave_tidily, temporary_daemon, wait_for_engine
    from memory_client.errors import MemorydError

    leave_tidily()
    try:
        dataset = load(options.dataset, options.questions)
        os.environ["MEMORYD_EMBEDDER_ENGINE"] = options.engine
        with temporary_daemon() as client:
            if options.mode != "lexical":
                wait_for_engine(client, ENGINE_SECONDS)
            done = run(client, dataset, options.mode, max(options.k), _notice)
    except (DatasetError, EvaluationError, MemorydError, TimeoutError) as error:
        print(f"eval_retrieval: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(f"{dataset.name}, mode {options.mode}\n\n{table(done, options.k)}")
    if options.out:
        write_lines(done, options.k, options.out)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", type=Path, required=True, help="a LoCoMo or MemoryBank JSON file")
    parser.add_argument("--mode", choices=["auto", "semantic", "lexical", "hybrid"], default="auto")
    parser.add_argument(
        "--engine", choices=["auto", "original"], default="auto", help="engine of the bundled model"
    )
    parser.add_argument("--k", type=int, nargs="+", default=[5, 10, 20], help="cut-offs (5 10 20)")
    parser.add_argument("--questions", type=Path, help="JSON questions to ask instead of the data set's")
    parser.add_argument("--out", type=Path, help="write a JSON line a question")
    return parser


def _notice(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
