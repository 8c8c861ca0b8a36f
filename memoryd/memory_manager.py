"""The knowledge points of a store under the name that some apps know."""

from __future__ import annotations

from memory_client.api import KnowledgeAPI, bind
from memory_client.client import KnowledgeClient, get_knowledge_client
from memoryd.knowledge_base import KnowledgeBase


@bind("knowledge")
class MemoryManager(KnowledgeAPI):
    """The group `knowledge` by itself.

    store: a `KnowledgeBase`, or a client of the daemon; by default the process's one client.
    """

    def __init__(self, store: KnowledgeBase | KnowledgeClient | None = None) -> None:
        self._invoke = (get_knowledge_client() if store is None else store)._invoke
