"""Every face has the declared methods with the declared signatures. A new one is one line in `FACES`."""

from __future__ import annotations

import collections.abc
import inspect
import subprocess
import sys
import types as types_module
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

import memory_client
from memory_client import types
from memory_client.aio import AsyncKnowledgeClient
from memory_client.api import (
    GROUPS,
    METHODS,
    MethodSpec,
)
from memory_client.client import KnowledgeClient
from memory_client.errors import registry
from memory_client.groups import GROUP_CLASSES
from memory_client.proxy import KnowledgeBaseProxy
from memoryd.knowledge_base import KnowledgeBase
from memoryd.service.dispatch import MethodHandler

FACES: list[tuple[str, type]] = [
    ("memory", KnowledgeClient),
    ("memory", KnowledgeBaseProxy),
    ("memory", AsyncKnowledgeClient),
    ("memory", KnowledgeBase),
    *GROUP_CLASSES.items(),
]
OF_FACES = [
    (face, {spec.name: spec for spec in METHODS.values() if spec.group == group}) for group, face in FACES
]
CASES = [
    pytest.param(face, spec, id=f"{face.__name__}.{spec.name}")
    for face, specs in OF_FACES
    for spec in specs.values()
]


@pytest.mark.parametrize(("face", "spec"), CASES)
def test_signatures_are_those_declared(face: type, spec: MethodSpec) -> None:
    method = inspect.getattr_static(face, spec.name)
    assert inspect.signature(method) == spec.signature
    assert inspect.getdoc(method) == inspect.getdoc(spec.function)


@pytest.mark.parametrize(("face", "spec"), CASES)
def test_the_declaration_itself_is_nowhere_the_body(face: type, spec: MethodSpec) -> None:
    assert inspect.getattr_static(face, spec.name) is not spec.function


@pytest.mark.parametrize(("face", "specs"), OF_FACES)
def test_a_face_has_no_public_methods_of_its_own(face: type, specs: dict[str, MethodSpec]) -> None:
    lifetime = {"close", "with_timeout", *GROUPS}
    public = {name for name in dir(face) if not name.startswith("_")}
    assert public - lifetime == specs.keys()


@pytest.mark.parametrize("spec", METHODS.values(), ids=METHODS)
def test_declarations_keep_the_rules(spec: MethodSpec) -> None:
    assert inspect.getdoc(spec.function), "documented"
    annotations = [parameter.annotation for parameter in spec.parameters.values()]
    assert spec.signature.return_annotation is not inspect.Signature.empty
    assert inspect.Parameter.empty not in annotations, "typed"
    if spec.is_write:
        assert spec.parameters["request_id"].default is None
    if "agent_id" in spec.parameters:
        assert spec.parameters["agent_id"].default is None
    if "user_id" in spec.required:
        assert spec.positional[0] == "user_id"
        assert spec.group == "knowledge" or spec.name == "delete_all"
    elif "user_id" in spec.parameters:
        assert spec.parameters["user_id"].default == "default"


def test_handlers_have_the_types_that_are_declared(tmp_path: Path) -> None:
    with KnowledgeBase(tmp_path, settings={"embedder.model": "none"}) as kb:
        handlers = kb._app.dispatcher.handlers
        assert handlers.keys() == METHODS.keys()
        differences = [line for handler in handlers.values() for line in _differences(handler)]
    assert not differences


def _differences(handler: MethodHandler) -> Iterator[str]:
    """Where the types of a handler are narrower than those declared."""
    declared, own = get_type_hints(handler.spec.function), get_type_hints(handler.function)
    for name in handler.taken:
        if name in own and not _is_accepted(declared[name], own[name]):
            yield f"{handler.spec.wire}({name}): {own[name]} for {declared[name]}"
    streamed = get_origin(own["return"]) is collections.abc.Iterator
    result = list[get_args(own["return"])[0]] if streamed else own["return"]
    if result != declared["return"]:
        yield f"{handler.spec.wire} returns {own['return']} for {declared['return']}"


def _is_accepted(declared: Any, own: Any) -> bool:
    """Whether a parameter of the handler takes every value of the declared type."""
    wider = {collections.abc.Sequence: list, collections.abc.Mapping: dict}
    alternatives = {one for part in get_args(own) or (own,) for one in (part, _narrowed(part, wider))}
    alternatives |= {own, _narrowed(own, wider)}
    return all(part in alternatives for part in _parts(declared))


def _parts(declared: Any) -> tuple[Any, ...]:
    return get_args(declared) if get_origin(declared) in (Union, types_module.UnionType) else (declared,)


def _narrowed(own: Any, wider: dict[Any, Any]) -> Any:
    """`list[X]` for `Sequence[X]`, `dict[K, V]` for `Mapping[K, V]`."""
    origin = get_origin(own)
    return wider[origin][get_args(own)] if origin in wider else own


def test_no_method_is_called_like_a_type() -> None:
    assert not {spec.name for spec in METHODS.values()} & {"list", "dict", "set", "type", "id"}
    assert {spec.group for spec in METHODS.values()} == set(GROUPS) == {"memory", *GROUP_CLASSES}


def test_the_stub_of_the_asynchronous_client_is_current() -> None:
    script = Path(__file__).parents[2] / "scripts" / "generate_stubs.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_the_package_offers_every_type_and_error() -> None:
    offered = set(memory_client.__all__)
    assert set(types.__all__) <= offered
    assert {cls.__name__ for cls in registry().values()} <= offered
