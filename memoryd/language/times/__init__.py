"""Time expressions of Chinese and English texts: what they mean at a reference time."""

from memoryd.language.times.query_range import TimeRange, time_range
from memoryd.language.times.time_expressions import TimeExpression, find

__all__ = ["TimeExpression", "TimeRange", "find", "time_range"]
