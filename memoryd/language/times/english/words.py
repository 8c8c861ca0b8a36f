"""The vocabulary of English time expressions, and contexts in which the same words are no time."""

from __future__ import annotations

from memoryd.language.times.calendar_parts import Third
from memoryd.language.times.periods import Unit

MONTHS = """january february march april may june july august september october november december""".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTH_NUMBERS = {name: i for i, name in enumerate(MONTHS, 1)} | {
    **{name[:3]: i for i, name in enumerate(MONTHS, 1)},
    "sept": 9,
}
WEEKDAY_NUMBERS = {name: i for i, name in enumerate(WEEKDAYS)} | {
    **{name[:3]: i for i, name in enumerate(WEEKDAYS)},
    "tues": 1,
    "weds": 2,
    "thur": 3,
    "thurs": 3,
}
SEASONS = {"spring": "spring", "summer": "summer", "autumn": "autumn", "fall": "autumn", "winter": "winter"}
UNITS: dict[str, Unit] = {
    "minute": "minute",
    "min": "minute",
    "hour": "hour",
    "hr": "hour",
    "day": "day",
    "week": "week",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "yr": "year",
    "decade": "decade",
}
DAY_PARTS = {
    "morning": "morning",
    "lunchtime": "noon",
    "afternoon": "afternoon",
    "evening": "evening",
    "night": "night",
}
DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
STEPS = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
THIRDS: dict[str, Third] = {
    **dict.fromkeys(("early", "beginning", "start"), "early"),
    **dict.fromkeys(("mid", "middle"), "mid"),
    **dict.fromkeys(("late", "end"), "late"),
}
# Also names, verbs or abbreviations: a time only in context.
AMBIGUOUS_MONTHS = frozenset({"march", "april", "may", "june", "august"})
LOWERCASE_WORDS = frozenset(
    {"may", "march", "mar", "sun", "sat", "wed", "mon", "jan", "dec", "fall", "spring"}
)

# Precedes a word that is a time only in context.
BEFORE_WEAK = (
    r"\b(?:in|during|over|since|until|till|before|after|through|throughout|around|early|late|mid|by|this|that"
    r"|for)\s+(?:the\s+)?$|\b(?:year|month\s+of)\s+$"
)
BEFORE_WEEKDAY = r"\b(?:on|since|until|till|before|after|by|from|this|around)\s+$"
BEFORE_WEEKEND = r"\b(?:on|at|over|during|since|until|before|after)\s+(?:the\s+)?$"
BEFORE_ORDINAL = r"\bthe\s+$"
BEFORE_CLOCK = r"\b(?:at|around|about|by|since|until|till|before|after)\s+$"
# Follows "the 28th" if it is a day, not the 28th of some things.
AFTER_ORDINAL = (
    r"(?=\s*(?:$|[^\w\s]))|(?=\s+of\s+(?:this|last|next)\b)|(?=\s+(?:and|or|to|at|in|with|when|while|because|if|but|did|do|does|was|were|is|are|"
    r"has|have|had|i|we|he|she|they|it|you|my|our|his|her|their|the|about|for|after|before|until|through|this|last|"
    r"next|there|then|as|so|than|that|what|where|who|how)\b)"
)
# A number followed by one of these counts things: after 2000 steps.
COUNTED = (
    r"(?!\s*(?:%|°|€|£|\$|[°])|\s+(?:yuan|dollars?|euros?|pounds?|bucks|yen|rmb|usd|people|men|women|kids|steps|"
    r"words|miles|meters|metres|feet|km|kg|grams?|calories|kcal|points|pages|times|units|copies|votes|tons?|watts?|"
    r"rpm|followers|users|songs|books|photos|pieces|votes|rows|items|degrees|hours|days|minutes|seconds|years)\b)"
)
# Things named after a season or a holiday.
NOT_SEASON = (
    r"(?!\s+(?:rolls?|breaks?|onions?|water|cleaning|dress(?:es)?|coats?|jackets?|clothes|school|camps?|olympics|games|boots|"
    r"sports?|squash|mattress(?:es)?|palace|solstice|equinox|tyres?|tires?|reading|house|in\s+love|down|off|asleep|"
    r"over|apart|behind|fest)\b)"
)
NOT_HOLIDAY = (
    r"(?!\s+(?:trees?|songs?|carols?|movies?|films?|cards?|markets?|pudding|cakes?|jumpers?|sweaters?|lights|"
    r"decorations?|island|ornaments?|cookies?|stockings?|eggs?|bunny|lilies|costumes?|album|resolutions?)\b)"
)
NOT_WEEKDAY = r"(?!\s+(?:school|routines?|schedules?|roast|times|best|addams|island)\b)"
# Precedes a recurring time.
REPEATED = (
    r"\b(?:every|each|any|most|alternate)\s+(?:(?:other|single|second|third|few)\s+)?"
    r"(?:(?:day|week|month|year|night|morning|afternoon|evening|weekday|weekend|\w+day)\s*,?\s*"
    r"(?:at|in|on|around|during|from|between)?\s*)?(?:the\s+)?(?:early\s+)?$"
    r"|\b(?:daily|weekly|monthly|yearly|annually|nightly)\s+(?:at|in|on|around)\s+(?:the\s+)?$"
)
_LIKE = "like|love|hate|prefer|enjoy|dislike"
LIKED = rf"\b(?:i|you|we|they|he|she|to|do|does|not|really)\s+(?:{_LIKE})s?\s+(?:the\s+)?$"
