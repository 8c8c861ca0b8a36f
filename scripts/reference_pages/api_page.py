"""docs/api.md: every method, the types of its arguments and replies, and the errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from memory_client.api import GROUPS, MethodSpec
from memory_client.api.spec import declared
from memory_client.errors import MemorydError
from reference_pages.parameters_section import parameters_section
from reference_pages.signatures import signature
from reference_pages.types_section import TYPES, types_section

HEAD = """# The API

<!-- Made by scripts/generate_docs.py from memory_client/api, types and errors; do not edit. -->

`KnowledgeClient` calls the daemon, `AsyncKnowledgeClient` does so with `await`, and `KnowledgeBase` works in
the same process. All three have the same methods and raise the same errors. Methods of the group `memory` are
called on the object itself, the others on its groups: `memory.search()`, `memory.conversation.append()`.
Arguments after `*` are given by keyword.

| parameter | meaning |
|---|---|
| `user_id` | Part of every key: another user's memories are never visible. |
| `agent_id` | None: the user's common memories; a name: also the agent's own; `"*"`: all of the user's. |
| `request_id` | Makes a write safe to repeat: the same id gets the same reply for 24 hours. |

A long call has no default time limit and reports its progress:

```python
from memory_client import on_progress

with on_progress(lambda done, total, what: print(what, done, "of", total)):
    memory.add_many(texts)
```

Times are UTC epoch seconds. Scores and confidences are between 0 and 1, importance is between 0 and 5.
"""


def api_page() -> str:
    return "\n".join(
        [HEAD, _contents(), *map(_group, GROUPS), parameters_section(), types_section(), _errors()]
    )


def _contents() -> str:
    groups = [f"[`{group}`](#group-{group})" for group in GROUPS]
    rest = "[Parameter types](#parameter-types). [Types](#types). [Errors](#errors)."
    return f"Groups: {', '.join(groups)}. {rest}\n"


def _group(group: str) -> str:
    return "\n".join([f"## Group `{group}`\n", *(_interface(group, api) for api in GROUPS[group])])


def _interface(group: str, api: type) -> str:
    methods = declared(group, api).values()
    return "\n".join([f"{inspect.getdoc(api)}\n", *map(_method, methods)])


def _method(spec: MethodSpec) -> str:
    name = spec.name if spec.group == "memory" else spec.wire
    lines = [f"### `{name}`\n", f"```python\n{signature(spec)}\n```\n", f"{inspect.getdoc(spec.function)}\n"]
    if spec.is_long:
        lines.append("A long call.\n")
    if links := _links(str(spec.signature.return_annotation)):
        lines.append(f"Reply: {', '.join(links)}.\n")
    return "\n".join(lines)


def _links(annotation: str) -> list[str]:
    names = dict.fromkeys(re.findall(r"\w+", annotation))
    return [f"[`{name}`](#type-{name.lower()})" for name in names if name in TYPES]


def _errors() -> str:
    return "\n".join(["## Errors\n", *_error(MemorydError, 0), ""])


def _error(error: type[MemorydError], depth: int) -> Iterator[str]:
    """An error and the errors derived from it, as a nested list."""
    builtins = [base.__name__ for base in error.__bases__ if not issubclass(base, MemorydError)]
    also = f" (also a `{builtins[0]}`)" if builtins and depth else ""
    text = " ".join(str(inspect.getdoc(error)).split())
    yield f"{'  ' * depth}- `{error.__name__}`{also}: {text}"
    for child in error.__subclasses__():
        if child.__bases__[0] is error:
            yield from _error(child, depth + 1)
