"""The intent of a query, by rules in Chinese and English."""

from __future__ import annotations

import re
from typing import Literal

Intent = Literal["fact", "reasoning", "contextual", "preference", "skill", "chitchat"]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_PRONOUN = r"(?:him|her|it|them|that|this|me|us|you|the other(?: one)?)"
_END = r"[?.!。 ]*$"
_CONTEXTUAL = _any(
    # The whole query refers back, or
    rf"^(?:and|but|so|then|what about|how about|or)? ?{_PRONOUN}{_END}",
    rf"^(?:please )?(?:tell me more|go on|continue|more|keep going|go ahead|elaborate|again){_END}",
    rf"^(?:explain(?: that| it| this)?(?: more| again| further)?|say (?:that|it) again|never ?mind){_END}",
    rf"^(?:what(?: do you mean| was that| else| now)?|anything else|forget (?:about )?(?:it|that)){_END}",
    rf"^(?:why(?: not)?|how so|really|and then(?: what)?|like what|such as|same (?:again|thing)){_END}",
    rf"^(?:那么?|还有)?(?:他|她|它|他们|她们|我|你|这个|那个|这|其他)呢{_END}",
    r"^(?:请|你)?(?:继续|接着|然后呢?|还有呢?|再说说?|多说|展开|详细|接下来呢?)"
    rf"(?:说|讲|聊|下去|吗|呢|一?点|一?下|吧|些)*{_END}",
    r"^(?:算了|没事了?|当我没说|不说了)(?:[,。!].*)?$",
    r"^(?:这|那)(?:个|件事|事)(?:怎么样|如何|呢|后来)",
    # it asks about the conversation itself or something named only there.
    r"\bwe (?:were |had |have |did )?(?:just |last |been )*(?:talk|discuss|chat|speak|say|stop|leave)\w*"
    rf"(?: about| off)?(?: last time| earlier| today| yesterday| before| just now)?{_END}",
    r"^remember when (?:we|i|you)\b|\bas i (?:said|mentioned)\b",
    rf"\b(?:that|the) (?:other )?(?:thing|one|stuff)(?: (?:turn|go|work|end|i|we|you|from)\b.*)?{_END}",
    r"\b(?:the|that) \w+ (?:i|we|you) (?:just )?(?:mentioned|told you|talked about)\b",
    r"\b(?:this|our|last|previous|earlier) (?:conversation|chat|session|message)\b(?! history)",
    r"(?:刚才|刚刚|上次|之前|前面|上回|方才|我们|咱们).{0,6}(?:聊|说|讲|谈|提)(?:到|过|起|了)?"
    r"(?:哪|什么|啥|的?[那这][个件些])",
    r"^(?:你|我们|咱们)(?:刚才|刚刚|上次|之前|前面|上回).{0,4}(?:总结|说|聊|讲|提|问|回答|建议).{0,3}(?:什么|啥|哪)",
)
_ADVICE = _any(
    r"^(?:(?:can|could|would) you |please )*(?:recommend|suggest)\b",
    r"\bshould i (?:eat|watch|read|buy|cook|order|wear|drink|listen|visit|get|play)\b",
    r"^(?:请|给我|帮我|能不能|能|可以|你|再)*推荐|(?:什么|啥|好的?)推荐|有(?:什么|没有)推荐",
    r"我(?:今天|今晚|晚上|周末|中午|现在)?(?:该|应该)(?:吃|看|喝|买|穿|玩|听|读)(?:点|些)?什么",
)
_WHY = _any(
    r"\bwhy\b|\bhow come\b|\bwhat (?:made|makes|caused|led)\b|\breasons? (?:for|why|that|behind)\b",
    r"为什么|为何|为啥|怎么会|咋会|原因|凭什么|缘故",
)
_REASONING = _any(
    r"\b(?:compare|comparison|versus|vs|differences?|differ|likely|probably|infer|imply|implies)\b",
    r"\b(?:would|might)\b(?! you like)|(?<!remember )(?<!know )\bif\b|\bshould (?:i|we|he|she|they)\b",
    r"\b(?:based on|given (?:his|her|my|their|that|the)|considering|pros and cons)\b",
    r"\b(?:relationship between|related to|better (?:for|than|fit))\b",
    r"(?<!-)\b(?:affect|influence|impact)\w*\b",
    r"\bwhat does .+ (?:say|mean|suggest) (?:about|for)\b",
    r"^(?:请|帮我|你)?比较|比较一?下|区别|差别|有何不同|有什么不同|相比|哪[个一]?.{0,4}更|更适合",
    r"如果|假如|要是|假设|(?:大概|可能|应该|也许)会|会不会|推测|推断|猜|意味着|说明了?什么",
    r"影响|导致|造成|有什么关系|有何关系|该不该|应不应该|值不值得|分析",
)
_NOT_LIKING = """look looks looked sound sounds sounded feel feels felt seem seems seemed smell smells taste
tastes is was were be it would 'd something anything stuff""".split()
_PREFERENCE = _any(
    "".join(rf"(?<!\b{word} )" for word in _NOT_LIKING) + r"\blike[sd]?\b(?! (?:this|that|these|those)\b)",
    r"\b(?:loves?|loved|enjoy(?:s|ed)?|hate[sd]?|dislike[sd]?|adore[sd]?|prefer\w*|favou?rites?)\b",
    r"\b(?:fond of|interested in|hobby|hobbies|taste in|can't stand|crazy about|fan of|go-to|pet peeves?)\b",
    r"\bwould you like\b",
    r"喜欢|喜爱|喜好|偏好|偏爱|最爱|钟爱|热爱|爱[吃喝看听玩用去穿]|讨厌|反感|厌恶|感兴趣|兴趣|爱好|口味|宁愿|受不了|中意",
)
_SKILL = _any(
    r"^(?:(?:please|so|and|but|hey|ok),? )?how (?:to|(?:do|can|should) (?:i|we|you|one|people)|does one)\b"
    r"(?! (?:feel|like|know|look|take my)\b)",
    r"\b(?:tell|show|teach|remind|remember|recall|know) (?:me )?how (?:to|i (?:can|should))\b",
    r"\bsteps? (?:to|for|of|in)\b|\binstructions?\b|\brecipe (?:for|of)\b|\btutorial\b",
    r"\bguide (?:to|for)\b|\bteach me\b|\bwalk me through\b|\b(?:best|easiest|right) way to\b",
    r"步骤|教程|教我|流程|攻略|诀窍|窍门|技巧|办法|做法|用法|食谱|怎么办",
    r"(?:怎么|怎样|如何|咋)(?!样|的|了|会|回事|看|想|说|啦|过来|认识|知道|称呼|评价|安慰|开导|形容|描述|劝|夸|回|解释|介绍)"
    r"[^,;。]*[^,的了过?。!](?=[?。!]*$)",
)

_SMALL_TALK = (
    r"你好|您好|大家好|哈喽|[早晚]上好|[上中下]午好|[早晚午]安|早|拜拜|再见|明天见"
    r"|谢谢|多谢|谢|辛苦|不客气|没事"
    r"|[哈嘿呵嘻嗯哦噢嗨哇]+|好的?|行|可以|对|是的?|真?棒|太好了"
    r"|hello|hey+|hi+|yo|good (?:morning|afternoon|evening|night|day)|(?:good)?bye|see (?:you|ya)"
    r"|thanks?(?: you)?|thx|cheers|welcome|(?:ha)+h?|(?:he){2,}|lol|wow|ok(?:ay)?"
    r"|yes|yeah|yep|nope|no|sure|great|cool|nice|awesome|perfect"
)
_FILLER = r"[呀啊吧呢了啦喔哟嘛么你您们大家]|there|all|everyone|so much|a lot|very much|then|again"
_CHITCHAT_LENGTH = 40
_CHITCHAT = re.compile(rf"(?=.*(?:{_SMALL_TALK}))(?:\W|(?:{_SMALL_TALK}|{_FILLER})(?![a-z]))++")
"""A message of greetings, thanks, laughter and assent only; possessive, so that it takes linear time."""


def find_intent(folded: str) -> Intent:
    """The intent of a folded query; `fact` if no rule matches."""
    text = " ".join(folded.split())
    if len(text) <= _CHITCHAT_LENGTH and _CHITCHAT.fullmatch(text):
        return "chitchat"
    if _CONTEXTUAL.search(text):
        return "contextual"
    if _WHY.search(text):
        return "reasoning"
    if _ADVICE.search(text):
        return "preference"
    if _REASONING.search(text):
        return "reasoning"
    if _PREFERENCE.search(text):
        return "preference"
    return "skill" if _SKILL.search(text) else "fact"
