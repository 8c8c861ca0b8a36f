"""The one declaration of every remote method: one class a group, typed and documented.

Clients, the in-process face and the service are all made from or checked against it.
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
