"""Measure retrieval on a data set, through the client, against a daemon of its own in a temporary directory.

python scripts/eval_retrieval.py --dataset PATH [--mode auto|semantic|lexical|hybrid] [--k 1 5 10 20]
                                 [--questions FILE [--split NAME]] [--out FILE]
                                 [--graph]
python scripts/eval_retrieval.py --dataset PATH --beside PATH [--cache DIR] --leave-one-out | --ablate

--graph stores the same texts as memories, from which triples are read, and asks with and without them.
The second form trains the ranker on both data sets, one of each language, without the conversation or user
that is asked about, and ranks the same candidates in memory; --ablate does so without each source and each
feature, and compares with plain fusion and the single sources by paired bootstrap.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import _environment

# Importing the client starts nothing here; the first call does.
__memoryd_script__ = True

ENGINE_SECONDS = 120.0


def main() -> int:
    _environment.require_python()
    parser = _parser()
    options = parser.parse_args()
    if (options.ablate or options.leave_one_out) != (options.beside is not None):
        parser.error(
            "--ablate or --leave-one-out, and --beside, the data set of the other language: both or none"
        )
    _environment.run_where_installed()
    from _temporary import leave_tidily
    from evaluation.datasets import DatasetError
    from evaluation.runner import EvaluationError
    from memory_client.errors import MemorydError

    leave_tidily()
    try:
        _compare(options) if options.beside else _measure(options)
    except (DatasetError, EvaluationError, MemorydError, TimeoutError) as error:
        print(f"eval_retrieval: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _measure(options: argparse.Namespace) -> None:
    """Ask every question of a daemon."""
    from _temporary import temporary_daemon, wait_for_engine
    from evaluation.datasets import load
    from evaluation.report import table, write_lines
    from evaluation.runner import asked, run

    dataset = load(options.dataset, options.questions, options.split)
    with temporary_daemon() as client:
        if options.mode != "lexical":
            wait_for_engine(client, ENGINE_SECONDS)
        kind = "memory" if options.graph else "turn"
        done = run(client, dataset, options.mode, max(options.k), _notice, kind)
        if options.graph:
            without = asked(client, done, options.mode, max(options.k), _notice, {"graph": 0.0})
            print(f"{dataset.name} without the graph\n\n{table(without, options.k)}\n")
    print(f"{dataset.name}, mode {options.mode}\n\n{table(done, options.k)}")
    if options.out:
        write_lines(done, options.k, options.out)


def _compare(options: argparse.Namespace) -> None:
    """Rank the same candidates in many ways."""
    from evaluation.ablation import ablate, leave_one_out
    from evaluation.datasets import DatasetError, load
    from evaluation.sets import training_sets

    paths = {load(path).name: path for path in (options.dataset, options.beside)}
    if paths.keys() != {"LoCoMo", "MemoryBank"}:
        raise DatasetError(f"{options.dataset} and {options.beside}: need LoCoMo and MemoryBank, one each")
    with tempfile.TemporaryDirectory() as folder:
        sets = training_sets(paths["LoCoMo"], paths["MemoryBank"], options.cache or Path(folder), _notice)
    if options.leave_one_out:
        print(leave_one_out(sets), flush=True)
    if options.ablate:
        ablate(sets, lambda line: print(line, flush=True))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", type=Path, required=True, help="a LoCoMo or MemoryBank JSON file")
    parser.add_argument("--mode", choices=["auto", "semantic", "lexical", "hybrid"], default="auto")
    parser.add_argument("--k", type=int, nargs="+", default=[1, 5, 10, 20], help="cut-offs (1 5 10 20)")
    parser.add_argument("--questions", type=Path, help="JSON questions to ask instead of the data set's")
    parser.add_argument("--split", help="ask only those of --questions that are in this split")
    parser.add_argument("--graph", action="store_true", help="store memories; with and without triples")
    parser.add_argument("--out", type=Path, help="write a JSON line a question")
    parser.add_argument("--beside", type=Path, help="the data set of the other language, to train on both")
    parser.add_argument("--cache", type=Path, help="directory that keeps the candidates for the next time")
    parser.add_argument("--leave-one-out", action="store_true", help="recall of what was not trained on")
    parser.add_argument("--ablate", action="store_true", help="recall without each source and feature")
    return parser


def _notice(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
