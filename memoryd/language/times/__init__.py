"""Time expressions in Chinese and English: where a text names a time, and which time that is."""

from memoryd.language.times.query_range import TimeRange, time_range
from memoryd.language.times.time_expressions import TimeExpression, find_times

__all__ = ["TimeExpression", "TimeRange", "find_times", "time_range"]
