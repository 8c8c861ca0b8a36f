"""The types of parameters that demand more than a Python type, read from memory_client/api/parameters.py."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, get_args, get_origin

from memory_client.api import parameters
from memory_client.api.parameters import Between, IdOf


def parameters_section() -> str:
    aliases = {name: one for name, one in vars(parameters).items() if get_origin(one) is Annotated}
    head = [
        "## Parameter types\n",
        "`Annotated[int, Between(1, 3)]` is an `int` from 1 to 3; of a list so many items.\n",
        "| type | values |",
        "|---|---|",
    ]
    rows = [f'| <a id="type-{name.lower()}"></a>`{name}` | {_values(one)} |' for name, one in aliases.items()]
    return "\n".join([*head, *rows, ""])


def _values(alias: Any) -> str:
    python_type, *rules = get_args(alias)
    if get_origin(python_type) is list:
        return f"`list` of {_values(get_args(python_type)[0])}, {'; '.join(map(_rule, rules))} items"
    return f"`{python_type.__name__}`: {'; '.join(map(_rule, rules))}"


def _rule(rule: Any) -> str:
    if isinstance(rule, IdOf):
        return f"id with the prefix {' or '.join(f'`{prefix}_`' for prefix in rule.prefixes)}"
    if isinstance(rule, Between):
        return f"{rule.low:,} to {rule.high:,}"
    return str(inspect.getdoc(type(rule))).rstrip(".")
