"""The shapes that cross the interface: plain dicts in hand and on the wire, in both faces.

Times are UTC epoch seconds. Scores and confidences are in [0, 1], importance in [0, 5].
"""

from memory_client.types.admin import Compacted, Finding, Metrics, Pong, Reindexed, SettingValue, Status
from memory_client.types.conversation import Appended, Ended, Extended, Turn, TurnItem, TurnPage
from memory_client.types.memories import Deleted, Memory, MemoryItem, Page, Stats, Updated, UserDeleted
from memory_client.types.recall import Explanation, Hit, SearchReport, Snippet
from memory_client.types.vocabulary import (
    Category,
    Direction,
    Filters,
    Intent,
    Kind,
    Metadata,
    Mode,
    Order,
    Role,
    SearchOrder,
    SearchScope,
    Source,
    Stage,
    State,
)

__all__ = [
    "Appended",
    "Category",
    "Compacted",
    "Deleted",
    "Direction",
    "Ended",
    "Explanation",
    "Extended",
    "Filters",
    "Finding",
    "Hit",
    "Intent",
    "Kind",
    "Memory",
    "MemoryItem",
    "Metadata",
    "Metrics",
    "Mode",
    "Order",
    "Page",
    "Pong",
    "Reindexed",
    "Role",
    "SearchOrder",
    "SearchReport",
    "SearchScope",
    "SettingValue",
    "Snippet",
    "Source",
    "Stage",
    "State",
    "Stats",
    "Status",
    "Turn",
    "TurnItem",
    "TurnPage",
    "Updated",
    "UserDeleted",
]
