"""Every face has the declared methods with the declared signatures. A new one is one line in `FACES`."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import memory_client
from memory_client import types
from memory_client.aio import (
    AsyncAdminClient,
    AsyncConversationClient,
    AsyncDecayClient,
    AsyncKnowledgeClient,
    AsyncKnowledgePointsClient,
    AsyncReviewClient,
    AsyncTriplesClient,
)
from memory_client.api import (
    GROUPS,
    METHODS,
    AdminAPI,
    ConflictsAPI,
    ConversationAPI,
    DecayAPI,
    ForgetAPI,
    KnowledgeAPI,
    LifeAPI,
    MemoryAPI,
    MethodSpec,
    ReviewAPI,
    TriplesAPI,
    VersionsAPI,
)
from memory_client.client import (
    AdminClient,
    ConversationClient,
    DecayClient,
    KnowledgeClient,
    KnowledgePointsClient,
    ReviewClient,
    TriplesClient,
)
from memory_client.errors import registry
from memory_client.proxy import KnowledgeBaseProxy
from memoryd.knowledge_base import KnowledgeBase
from memoryd.service.admin import AdminService
from memoryd.service.conflicts import ConflictsService
from memoryd.service.conversation import ConversationService
from memoryd.service.decay import DecayService
from memoryd.service.forget import ForgetService
from memoryd.service.knowledge import KnowledgeService
from memoryd.service.life import LifeService
from memoryd.service.memory import MemoryService
from memoryd.service.review import ReviewService
from memoryd.service.triples import TriplesService
from memoryd.service.versions import VersionsService

FACES: list[tuple[str, type]] = [
    ("memory", KnowledgeClient),
    ("memory", KnowledgeBaseProxy),
    ("memory", AsyncKnowledgeClient),
    ("memory", KnowledgeBase),
    ("conversation", ConversationClient),
    ("conversation", AsyncConversationClient),
    ("decay", DecayClient),
    ("decay", AsyncDecayClient),
    ("review", ReviewClient),
    ("review", AsyncReviewClient),
    ("knowledge", KnowledgePointsClient),
    ("knowledge", AsyncKnowledgePointsClient),
    ("triples", TriplesClient),
    ("triples", AsyncTriplesClient),
    ("admin", AdminClient),
    ("admin", AsyncAdminClient),
]
SERVICES: list[tuple[type, type]] = [
    (MemoryAPI, MemoryService),
    (ForgetAPI, ForgetService),
    (LifeAPI, LifeService),
    (VersionsAPI, VersionsService),
    (ConflictsAPI, ConflictsService),
    (ConversationAPI, ConversationService),
    (DecayAPI, DecayService),
    (ReviewAPI, ReviewService),
    (KnowledgeAPI, KnowledgeService),
    (TriplesAPI, TriplesService),
    (AdminAPI, AdminService),
]
OF_FACES = [
    (face, {spec.name: spec for spec in METHODS.values() if spec.group == group}) for group, face in FACES
]
OF_SERVICES = [
    (service, {spec.name: spec for spec in METHODS.values() if spec.api is api}) for api, service in SERVICES
]
CASES = [
    pytest.param(face, spec, id=f"{face.__name__}.{spec.name}")
    for face, specs in (*OF_FACES, *OF_SERVICES)
    for spec in specs.values()
]


@pytest.mark.parametrize(("face", "spec"), CASES)
def test_signatures_are_those_declared(face: type, spec: MethodSpec) -> None:
    method = inspect.getattr_static(face, spec.name)
    assert inspect.signature(method) == spec.signature
    if face not in dict(OF_SERVICES):  # they are documented for who works on them
        assert inspect.getdoc(method) == inspect.getdoc(spec.function)


@pytest.mark.parametrize(("face", "spec"), CASES)
def test_the_declaration_itself_is_nowhere_the_body(face: type, spec: MethodSpec) -> None:
    assert inspect.getattr_static(face, spec.name) is not spec.function


@pytest.mark.parametrize(("face", "specs"), [*OF_FACES, *OF_SERVICES])
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


def test_no_method_is_called_like_a_type() -> None:
    assert not {spec.name for spec in METHODS.values()} & {"list", "dict", "set", "type", "id"}
    assert {spec.group for spec in METHODS.values()} == set(GROUPS)


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
