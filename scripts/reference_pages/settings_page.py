"""docs/settings.md: every setting by group, with its type, bounds, default and environment variable."""

from __future__ import annotations

import json
from itertools import groupby

from memoryd.app.setting import Setting, expected
from memoryd.app.settings import SETTINGS

HEAD = """# Settings

<!-- Made by scripts/generate_docs.py from memoryd/app/setting_groups.py; do not edit. -->

The value of a setting comes from the last of these that names it: its default, `config.toml` in the data
directory, the environment, `--set group.name=value` on the command line (or `settings=` in code).
`memoryd config` prints every setting with its value and its origin, but never a secret. A value that does not
fit is an error that names the setting, the value and what is expected.

```toml
[embedder]
model = "sentence-transformers:intfloat/multilingual-e5-base"
device = "cuda"
```
"""
TAIL = """## Environment

These variables are not settings: they are read before the settings are.

| variable | what it does |
|---|---|
| `MEMORYD_HOME` | The data directory. |
| `MEMORYD_AUTOSTART` | `0`: importing the client starts nothing. |
| `MEMORYD_PYTHON` | The interpreter that runs the daemon; a frozen app must set it. |
"""


def settings_page() -> str:
    groups = [_group(name, list(settings)) for name, settings in groupby(SETTINGS, _group_name)]
    return "\n".join([HEAD, *groups, TAIL])


def _group_name(setting: Setting) -> str:
    return setting.name.rpartition(".")[0]


def _group(name: str, settings: list[Setting]) -> str:
    head = [
        f"## `{name}`\n",
        "| setting | variable | value | default | what it does |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *map(_row, settings), ""])


def _row(setting: Setting) -> str:
    default = json.dumps(setting.default, default=str, ensure_ascii=False)
    cells = (
        f"`{setting.name}`",
        f"`{setting.variable}`",
        expected(setting.type),
        f"`{default}`",
        setting.description,
    )
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;")
