"""Time expressions of Chinese and English texts: what they mean at a reference time."""

from memoryd.core.timewords.find import TimeExpression, find
from memoryd.core.timewords.query import TimeRange, time_range

__all__ = ["TimeExpression", "TimeRange", "find", "time_range"]
