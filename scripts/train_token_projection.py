"""Make memoryd/models/e5/projection.npy: how token vectors are centred and projected before they are kept.

python scripts/train_token_projection.py

Principal components of the tokens of our own short texts (calibration, probe set, labelled queries),
turned so that every direction carries alike: then one step of quantisation is right for all of them.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import _environment

__memoryd_script__ = True

LABELS = Path(__file__).parent / "evaluation" / "labels"


def main() -> int:
    _environment.require_python()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    _environment.run_where_installed()
    import numpy as np

    from e5_files.calibrate import texts
    from memoryd.models import probe
    from memoryd.models.base import Loading
    from memoryd.models.e5.bundled import open_bundled
    from memoryd.models.e5.reduction import FILE, REDUCED

    with tempfile.TemporaryDirectory() as folder:
        engine = open_bundled(Path(folder), Loading())
        own = [*texts(), *probe.TEXTS, *_labelled()]
        # in pairs too, as turns are read with what was said before
        pairs = ["\n".join(pair) for pair in zip(own, own[7:], strict=False)]
        tokens = np.concatenate([each.vectors for each in engine.embed_tokens([*own, *pairs])])
        engine.close()
    mean = tokens.mean(axis=0)
    _, strengths, directions = np.linalg.svd(tokens - mean, full_matrices=False)
    kept = float((strengths[:REDUCED] ** 2).sum() / (strengths**2).sum())
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((REDUCED, REDUCED)))[0]
    np.save(FILE, np.concatenate([mean[None], turn @ directions[:REDUCED]]).astype(np.float16))
    print(f"{len(tokens)} tokens, {kept:.0%} of their variance in {REDUCED} directions: {FILE}")
    return 0


def _labelled() -> list[str]:
    """The queries of our label sets that belong to no data set."""
    found = []
    for name in ("time_expressions.json", "intents.json"):
        for entries in json.loads((LABELS / name).read_text(encoding="utf-8")).values():
            found += [e.get("text") or e["query"] for e in entries] if isinstance(entries, list) else []
    return found


if __name__ == "__main__":
    sys.exit(main())
