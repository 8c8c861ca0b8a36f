"""Write `memory_client/aio.pyi`, the types of the asynchronous client, from the declared API.

python scripts/generate_stubs.py [--check]     --check: only say whether it is current (exit code 1 if not)
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from types import ModuleType

__memoryd_script__ = True  # importing the client starts no daemon

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memory_client import types  # noqa: E402
from memory_client.api import GROUPS, METHODS, MethodSpec, parameters  # noqa: E402
from reference_pages.signatures import parameter_text  # noqa: E402

STUB = ROOT / "memory_client" / "aio.pyi"
HEAD = '''"""Made by scripts/generate_stubs.py from memory_client.api; do not edit."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from memory_client.api import MethodSpec
from memory_client.api.parameters import (
{parameters}
)
from memory_client.async_core import AsyncCore
from memory_client.types import (
{names}
)

{groups}

class AsyncKnowledgeClient(AsyncCore):
{attributes}
{memory}
'''
GROUP = """class _{title}Group:
    def __init__(self, invoke: Callable[[MethodSpec, dict[str, Any]], Any]) -> None: ...
{methods}
"""


def stub() -> str:
    """The text of the stub."""
    apart = [group for group in GROUPS if group != "memory"]
    return HEAD.format(
        parameters=_imports(parameters),
        names=_imports(types),
        groups="\n".join(GROUP.format(title=one.title(), methods=_methods(one)) for one in apart).rstrip(),
        attributes="\n".join(f"    {one}: _{one.title()}Group" for one in apart),
        memory=_methods("memory"),
    )


def _imports(module: ModuleType) -> str:
    """The names of a module that the declarations use, as lines of an import."""
    used = {word for word in _words_used() if hasattr(module, word)} - {"Annotated", "Any", "Literal"}
    return "\n".join(f"    {name}," for name in sorted(used, key=lambda name: (name.casefold(), name)))


def _words_used() -> set[str]:
    annotations = [
        str(annotation)
        for spec in METHODS.values()
        for annotation in (
            spec.signature.return_annotation,
            *(parameter.annotation for parameter in spec.parameters.values()),
        )
    ]
    return {word for annotation in annotations for word in re.findall(r"\w+", annotation)}


def _methods(group: str) -> str:
    return "\n".join(_method(spec) for spec in METHODS.values() if spec.group == group)


def _method(spec: MethodSpec) -> str:
    result = spec.signature.return_annotation
    if not spec.parameters:
        return f"    async def {spec.name}(self) -> {result}: ..."
    lines = ["self"]
    for parameter in spec.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in lines:
            lines.append("*")
        lines.append(parameter_text(parameter))
    body = "".join(f"        {line},\n" for line in lines)
    return f"    async def {spec.name}(\n{body}    ) -> {result}: ..."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether the stub is current")
    arguments = parser.parse_args()
    if not arguments.check:
        STUB.write_text(stub(), encoding="utf-8")
        return 0
    if STUB.exists() and STUB.read_text(encoding="utf-8") == stub():
        return 0
    print(f"{STUB} is not current; run: python scripts/generate_stubs.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
