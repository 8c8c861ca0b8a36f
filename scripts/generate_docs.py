"""Write `docs/api.md` and `docs/settings.md` from the declared API and the table of settings.

python scripts/generate_docs.py [--check]     --check: only report stale pages (exit code 1 if any)
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__memoryd_script__ = True  # importing the client starts no daemon

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from reference_pages.api_page import api_page  # noqa: E402
from reference_pages.settings_page import settings_page  # noqa: E402

PAGES = {"api.md": api_page, "settings.md": settings_page}


def stale_pages(directory: Path) -> list[Path]:
    """The pages that are missing or differ from what their declarations say."""
    return [
        directory / name
        for name, page in PAGES.items()
        if not (directory / name).exists() or (directory / name).read_text(encoding="utf-8") != page()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only report whether the pages are current")
    arguments = parser.parse_args()
    stale = stale_pages(ROOT / "docs")
    if arguments.check and stale:
        names = ", ".join(page.name for page in stale)
        print(f"not current: {names}; run: python scripts/generate_docs.py", file=sys.stderr)
        return 1
    for page in stale:
        page.write_text(PAGES[page.name](), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
