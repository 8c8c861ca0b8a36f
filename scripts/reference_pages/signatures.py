"""Methods and parameters as they are written in Python."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from memory_client.api import MethodSpec


def signature(spec: MethodSpec) -> str:
    """The method as a Python stub, without the parameters `self`, one line if it fits."""
    parameters = list(_parameters(spec))
    result = str(spec.signature.return_annotation)
    line = f"def {spec.name}({', '.join(parameters)}) -> {result}: ..."
    if len(line) <= 100:
        return line
    body = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"def {spec.name}(\n{body}) -> {result}: ..."


def _parameters(spec: MethodSpec) -> Iterator[str]:
    has_star = False
    for parameter in spec.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            has_star = True
            yield "*"
        yield parameter_text(parameter)


def parameter_text(parameter: inspect.Parameter) -> str:
    """A parameter as it is written in Python."""
    annotation = str(parameter.annotation).replace("'", '"')
    text = f"{parameter.name}: {annotation}"
    if parameter.default is parameter.empty:
        return text
    default = f'"{parameter.default}"' if isinstance(parameter.default, str) else repr(parameter.default)
    return f"{text} = {default}"
