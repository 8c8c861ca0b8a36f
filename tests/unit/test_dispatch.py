"""Handlers are bound to declarations: they get what they name, and what does not fit fails at start."""

from __future__ import annotations

from typing import Any

import pytest

from memory_client.api import METHODS, find
from memory_client.deadline import Deadline
from memory_client.errors import InvalidParameterError
from memoryd.core.call_context import Call
from memoryd.core.scope import Scope
from memoryd.engine.author import Author
from memoryd.service.dispatch import Dispatcher, bind_handler
from memoryd.service.validation import validate_parameters
from memoryd.storage.requests import RequestKey

ID = "mem_" + "0" * 20
CALL = Call(Deadline.after(None))


def run(wire: str, service: object, **params: Any) -> Any:
    """What the handler of a method returns."""
    spec = find(wire)
    return bind_handler(spec, service)(spec.defaults | validate_parameters(spec, params), CALL)


class Boost:
    def boost(self, id: str, author: Author, scope: Scope, key: RequestKey | None) -> Any:
        return id, author, scope, key


class Page:
    def page(self, scope: Scope, **rest: Any) -> Any:
        return scope, rest


def boost_key(**params: Any) -> RequestKey | None:
    key: RequestKey | None = run("memory.boost", Boost(), id=ID, **params)[3]
    return key


def test_a_handler_gets_values_derived_from_the_parameters() -> None:
    id, author, scope, key = run(
        "memory.boost", Boost(), id=ID, user_id="u", agent_id="a", reason="why", request_id="r"
    )
    assert (id, author, scope) == (ID, Author("app", "why"), Scope("u", "a"))
    assert key is not None
    assert (key.user_id, key.method, key.request_id) == ("u", "memory.boost", "r")


def test_a_handler_gets_the_declared_defaults() -> None:
    scope, rest = run("memory.page", Page(), include_archived=True)
    assert scope == Scope("default", None, archived=True)
    assert (rest["limit"], rest["order"], rest["cursor"]) == (50, "created_at", None)
    assert not rest.keys() & {"user_id", "agent_id", "include_archived"}


def test_the_deadline_is_that_of_the_call() -> None:
    class Service:
        def get_many(self, deadline: Deadline, scope: Scope, **_: Any) -> Any:
            return deadline, scope

    assert run("memory.get_many", Service(), ids=[]) == (CALL.deadline, Scope("default"))


def test_equal_requests_have_equal_keys() -> None:
    assert boost_key() is None
    assert boost_key(request_id="r") == boost_key(request_id="r", operator="app", agent_id=None)
    assert boost_key(request_id="r") != boost_key(request_id="r", reason="other")
    assert boost_key(request_id="r") != boost_key(request_id="r", agent_id="a")


def test_a_dry_run_has_no_key() -> None:
    class Service:
        def purge(self, key: RequestKey | None, **_: Any) -> Any:
            return key

    assert run("decay.purge", Service(), dry_run=True, request_id="r") is None
    assert run("decay.purge", Service(), request_id="r") is not None


def test_parameters_are_checked_before_the_handler_runs() -> None:
    with pytest.raises(InvalidParameterError, match=r"^id: 'x' is not an id"):
        run("memory.boost", Boost(), id="x")
    with pytest.raises(InvalidParameterError, match=r"^operator: "):
        run("memory.boost", Boost(), id=ID, operator="decay")


def test_a_method_without_a_handler_fails_at_start() -> None:
    with pytest.raises(TypeError, match=r"memory\.add has no handler: define add\(\)"):
        Dispatcher({})


def test_a_handler_without_a_declaration_fails_at_start() -> None:
    class Service:
        def add_all(self) -> None: ...

    with pytest.raises(TypeError, match=r"Service\.add_all handles no method that MemoryAPI declares"):
        Dispatcher({find("memory.add").api: Service()})


class Incomplete:
    def boost(self, id: str, scope: Scope, key: RequestKey | None) -> None: ...


class Demanding:
    def boost(self, id: str, author: Author, scope: Scope, key: RequestKey | None, force: bool) -> None: ...


class Keyed:
    def get_many(self, ids: list[str], scope: Scope, key: RequestKey | None) -> None: ...


@pytest.mark.parametrize(
    ("wire", "service", "problem"),
    [
        ("memory.boost", Incomplete(), "leaves out the declared operator, reason"),
        ("memory.boost", Demanding(), "demands the undeclared force"),
        ("memory.get_many", Keyed(), "demands the undeclared request_id"),
    ],
)
def test_parameters_that_do_not_fit_fail_at_start(wire: str, service: object, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        bind_handler(METHODS[wire], service)
