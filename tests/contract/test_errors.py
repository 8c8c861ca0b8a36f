"""The error tree: codes, the wire, pickling, and the tree drawn at the top of the module."""

from __future__ import annotations

import pickle
import re

import pytest

from memory_client import errors
from memory_client.errors import MemorydError, from_wire, registry, to_wire
from memory_client.protocol import Reply, decode_reply, encode_reply

CLASSES = list(registry().values())
each = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


@each
def test_over_the_wire_and_back(cls: type[MemorydError]) -> None:
    error = cls("对花生过敏: what to do", path="/x", n=1, deep={"a": [None, 1.5]})
    back = from_wire(decode_reply(encode_reply(Reply(1, "error", to_wire(error)))).payload)
    assert type(back) is cls
    assert (back.message, back.data, str(back)) == (error.message, error.data, str(error))


@each
def test_through_pickle(cls: type[MemorydError]) -> None:
    back = pickle.loads(pickle.dumps(cls("text", parameter="x")))
    assert type(back) is cls
    assert (back.message, back.data) == ("text", {"parameter": "x"})


@each
def test_every_class_says_what_it_means(cls: type[MemorydError]) -> None:
    assert cls.__doc__
    assert cls.__doc__.strip().endswith((".", "`data` holds what a program may want to read."))
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", cls.code)


def test_codes_are_unique() -> None:
    assert len(registry()) == len(CLASSES) == len({cls.code for cls in CLASSES})


@pytest.mark.parametrize(
    ("cls", "builtin"),
    [
        (errors.InvalidParameterError, ValueError),
        (errors.UnknownParameterError, TypeError),
        (errors.NotFoundError, LookupError),
        (errors.DeadlineExceededError, TimeoutError),
    ],
)
def test_some_are_builtin_errors_too(cls: type[MemorydError], builtin: type[Exception]) -> None:
    assert issubclass(cls, builtin)


@pytest.mark.parametrize("payload", [{"code": "of_tomorrow", "message": "new"}, {"message": "new"}])
def test_an_unknown_code_is_the_base_class(payload: dict[str, str]) -> None:
    error = from_wire(payload)
    assert type(error) is MemorydError
    assert str(error) == "new"


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    def drawn() -> dict[str, str]:
        parents: dict[int, str] = {}
        found: dict[str, str] = {}
        for line in (errors.__doc__ or "").splitlines():
            match = re.match(r"^((?:[│├└─ ]{4})*)(\w+(?:Error|Conflict|InUse))\b", line)
            if match:
                depth = len(match[1]) // 4
                parents[depth] = match[2]
                found[match[2]] = parents[depth - 1] if depth else "Exception"
        return found

    assert drawn() == {cls.__name__: cls.__bases__[0].__name__ for cls in CLASSES}
