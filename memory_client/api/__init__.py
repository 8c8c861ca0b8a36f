"""The one declaration of every method, typed and documented, in classes by group.

Clients, `KnowledgeBase` and the dispatcher are built from it.
"""

from memory_client.api.admin import AdminAPI
from memory_client.api.conflicts import ConflictsAPI
from memory_client.api.conversation import ConversationAPI
from memory_client.api.decay import DecayAPI
from memory_client.api.forget import ForgetAPI
from memory_client.api.knowledge import KnowledgeAPI
from memory_client.api.life import LifeAPI
from memory_client.api.memory import MemoryAPI
from memory_client.api.registry import GROUPS, METHODS, bind, find
from memory_client.api.review import ReviewAPI
from memory_client.api.spec import MethodSpec
from memory_client.api.triples import TriplesAPI
from memory_client.api.versions import VersionsAPI

__all__ = [
    "GROUPS",
    "METHODS",
    "AdminAPI",
    "ConflictsAPI",
    "ConversationAPI",
    "DecayAPI",
    "ForgetAPI",
    "KnowledgeAPI",
    "LifeAPI",
    "MemoryAPI",
    "MethodSpec",
    "ReviewAPI",
    "TriplesAPI",
    "VersionsAPI",
    "bind",
    "find",
]
