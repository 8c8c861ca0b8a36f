"""The tree of all errors.

MemorydError
├── InvalidRequestError
│   ├── InvalidParameterError        also a ValueError
│   │   └── InvalidFilterError
│   ├── UnknownMethodError
│   ├── UnknownParameterError        also a TypeError
│   ├── MalformedMessageError
│   ├── MessageTooLargeError
│   ├── WrongIdError
│   ├── InvalidStateError
│   └── RequestIdConflict
├── NotFoundError                    also a LookupError
│   └── HistoryLimitError
├── DaemonUnavailableError
│   ├── LaunchError
│   ├── AuthenticationError
│   └── VersionError
├── DeadlineExceededError            also a TimeoutError
├── BusyError
├── ModelUnavailableError
│   └── SpaceMismatchError
├── MemorySystemError
│   ├── LLMExtractionError
│   ├── StorageError
│   │   ├── DatabaseCorruptError
│   │   ├── DiskFullError
│   │   └── SchemaVersionError
│   └── KnowledgeValidationError     also an InvalidParameterError
├── DataDirectoryError
│   ├── DataDirectoryInUse
│   └── UnsafeDirectoryError
├── ConfigurationError
└── InternalError

On the wire an error is `{code, message, data}`; the code is derived from the class name and the
registry from the classes.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar


def _code(name: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.removesuffix("Error"))
    return words.lower()


class MemorydError(Exception):
    """Base of all errors of memoryd; `data` holds their details for programs."""

    code: ClassVar[str] = "memoryd"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.code = _code(cls.__name__)

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return (_revive, (type(self), self.message, self.data))


class InvalidRequestError(MemorydError):
    """The request is invalid; nothing was changed."""


class InvalidParameterError(InvalidRequestError, ValueError):
    """A parameter has a value of the wrong type or form. data: parameter, value, expected."""


class InvalidFilterError(InvalidParameterError):
    """A filter has an unknown field or operator, or a value that does not fit the field."""


class UnknownMethodError(InvalidRequestError):
    """No such method; the message names the nearest one."""


class UnknownParameterError(InvalidRequestError, TypeError):
    """The method has no such parameter; the message names the nearest one."""


class MalformedMessageError(InvalidRequestError):
    """A frame that is not a message of this protocol."""


class MessageTooLargeError(InvalidRequestError):
    """A message over the size limit. data: size, limit (bytes)."""


class WrongIdError(InvalidRequestError):
    """An id of another kind than the method takes. data: id, expected, got."""


class InvalidStateError(InvalidRequestError):
    """The memory's state does not allow it. data: id, state, expected."""


class RequestIdConflict(InvalidRequestError):
    """The request id was used before with other parameters."""


class NotFoundError(MemorydError, LookupError):
    """Nothing of that id is visible to this user and agent. data: id."""


class HistoryLimitError(NotFoundError):
    """A version or time before the start of the history. data: id, history_from."""


class DaemonUnavailableError(MemorydError):
    """The daemon cannot be reached."""


class LaunchError(DaemonUnavailableError):
    """The daemon did not start; the message holds the reason, the log's tail and the fix."""


class AuthenticationError(DaemonUnavailableError):
    """The daemon refused this client's key, or is not the daemon it claims to be. data: path."""


class VersionError(DaemonUnavailableError):
    """Client and daemon speak different protocols. data: client, daemon."""


class DeadlineExceededError(MemorydError, TimeoutError):
    """The call took longer than its time limit; the message names the step."""


class BusyError(MemorydError):
    """The daemon's queue is full; try again shortly."""


class ModelUnavailableError(MemorydError):
    """Semantic search needs an embedding model and none is loaded; the message names the fix."""


class SpaceMismatchError(ModelUnavailableError):
    """Vectors of different embedding spaces cannot be mixed."""


class MemorySystemError(MemorydError):
    """The store failed, or knowledge extraction did."""


class LLMExtractionError(MemorySystemError):
    """No knowledge points could be extracted from a conversation; its turns are kept."""


class StorageError(MemorySystemError):
    """The store could not read or write; nothing acknowledged is lost."""


class DatabaseCorruptError(StorageError):
    """The database file is damaged; it is left unchanged. data: path."""


class DiskFullError(StorageError):
    """No space left: the write was rolled back. data: path."""


class SchemaVersionError(StorageError):
    """The database was written by a newer memoryd. data: found, supported."""


class KnowledgeValidationError(MemorySystemError, InvalidParameterError):
    """An invalid knowledge point. data: parameter, value, expected."""


class DataDirectoryError(MemorydError):
    """The data directory cannot be used."""


class DataDirectoryInUse(DataDirectoryError):
    """Another process owns the data directory. data: pid, path."""


class UnsafeDirectoryError(DataDirectoryError):
    """Other users may write the data directory or read its keys. data: path."""


class ConfigurationError(MemorydError):
    """A setting is unknown or has a value that does not fit. data: setting."""


class InternalError(MemorydError):
    """A defect in memoryd; the log of the daemon has the details."""


def _revive(cls: type[MemorydError], message: str, data: dict[str, Any]) -> MemorydError:
    return cls(message, **data)


def _all_classes(cls: type[MemorydError]) -> list[type[MemorydError]]:
    return [cls] + [deeper for sub in cls.__subclasses__() for deeper in _all_classes(sub)]


def registry() -> dict[str, type[MemorydError]]:
    """Wire code -> class, of every class defined."""
    return {cls.code: cls for cls in _all_classes(MemorydError)}


def to_wire(error: MemorydError) -> dict[str, Any]:
    """The error as `{code, message, data}`."""
    return {"code": error.code, "message": error.message, "data": error.data}


def from_wire(payload: dict[str, Any]) -> MemorydError:
    """The error in a payload; an unknown code (of a newer daemon) becomes `MemorydError`."""
    cls = registry().get(str(payload.get("code")), MemorydError)
    return _revive(cls, str(payload.get("message", "")), dict(payload.get("data") or {}))
