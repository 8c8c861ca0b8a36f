"""The one declaration of every remote method: one class a group, typed and documented.

Clients, the in-process face and the service are all made from or checked against it.
"""

from memory_client.api.admin import AdminAPI
from memory_client.api.conversation import ConversationAPI
from memory_client.api.life import LifeAPI
from memory_client.api.memory import MemoryAPI
from memory_client.api.registry import GROUPS, METHODS, bind, find
from memory_client.api.spec import MethodSpec
from memory_client.api.versions import VersionsAPI

__all__ = [
    "GROUPS",
    "METHODS",
    "AdminAPI",
    "ConversationAPI",
    "LifeAPI",
    "MemoryAPI",
    "MethodSpec",
    "VersionsAPI",
    "bind",
    "find",
]
