"""The types of arguments and replies with their fields, read from the source of memory_client/types."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from memory_client import types

Statement = ast.ClassDef | ast.Assign


def _statements() -> Iterator[tuple[str, Statement]]:
    for path in sorted(Path(types.__file__).parent.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield node.targets[0].id, node


TYPES: dict[str, Statement] = {name: node for name, node in _statements() if name in types.__all__}
"""The public types by name, in the order of the modules."""


def types_section() -> str:
    aliases = (node for node in TYPES.values() if isinstance(node, ast.Assign))
    classes = (node for node in TYPES.values() if isinstance(node, ast.ClassDef))
    head = [
        "## Types\n",
        "Arguments and replies are plain dicts with these fields; `Hits` is a list.\n",
        "| type | values |",
        "|---|---|",
    ]
    return "\n".join([*head, *map(_alias, aliases), "", *map(_class, classes)])


def _alias(node: ast.Assign) -> str:
    name = ast.unparse(node.targets[0])
    return f'| <a id="type-{name.lower()}"></a>`{name}` | {_code(_values(node.value))} |'


def _values(value: ast.expr) -> str:
    """The values of a `Literal`, or the type."""
    if isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Literal":
        elements = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        return ", ".join(f'"{ast.literal_eval(element)}"' for element in elements)
    return ast.unparse(value)


def _class(node: ast.ClassDef) -> str:
    lines = [f"### Type `{node.name}`\n", f"{ast.get_docstring(node)}\n"]
    if parents := [ast.unparse(base) for base in node.bases if ast.unparse(base) in TYPES]:
        lines.append(f"With the fields of `{parents[0]}`, and:\n")
    if fields := list(_fields(node)):
        lines += ["| field | type | |", "|---|---|---|", *fields, ""]
    return "\n".join(lines)


def _fields(node: ast.ClassDef) -> Iterator[str]:
    for index, item in enumerate(node.body):
        if isinstance(item, ast.AnnAssign):
            following = node.body[index + 1 : index + 2]
            note = " ".join(_string(following[0]).split()) if following else ""
            yield f"| `{ast.unparse(item.target)}` | {_code(ast.unparse(item.annotation))} | {_cell(note)} |"


def _string(node: ast.stmt) -> str:
    is_string = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return str(node.value.value) if is_string else ""  # type: ignore[attr-defined]


def _code(text: str) -> str:
    return f"`{_cell(text)}`".replace("'", '"')


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
