"""The vocabulary of Chinese time expressions, simplified, and contexts in which they are no time."""

from __future__ import annotations

from memoryd.language.numerals import CHINESE_DIGITS
from memoryd.language.times.calendar_parts import Third
from memoryd.language.times.periods import Unit

NUMERALS = CHINESE_DIGITS + "十百"
NUMBER = rf"(?:\d{{1,4}}|[{NUMERALS}]{{1,6}})"

DAYS = {"大前天": -3, "前天": -2, "昨": -1, "今": 0, "明": 1, "后天": 2, "大后天": 3}
YEARS = {"大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
WEEKDAYS = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6} | {str(i + 1): i for i in range(7)}
DAY_PARTS = {
    "small hours": ("凌晨",),
    "morning": ("早上", "早晨", "清晨", "清早", "一早", "上午"),
    "noon": ("中午", "正午"),
    "afternoon": ("下午", "午后"),
    "dusk": ("傍晚", "黄昏"),
    "night": ("晚上", "晚间", "夜里", "夜间", "夜晚", "深夜", "半夜", "午夜"),
}
DAY_PART_CHARACTERS = {"早": "morning", "晨": "morning", "晚": "night", "夜": "night"}
SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
THIRDS: dict[str, Third] = {
    **dict.fromkeys(("初", "上旬", "初期", "早期", "初春"), "early"),
    **dict.fromkeys(("中", "中旬", "中期"), "mid"),
    **dict.fromkeys(("底", "末", "下旬", "末期", "后期", "晚期"), "late"),
}
UNITS: dict[str, Unit] = {
    "分钟": "minute",
    **dict.fromkeys(("小时", "个小时", "钟头", "个钟头", "钟"), "hour"),
    **dict.fromkeys(("天", "日"), "day"),
    **dict.fromkeys(("周", "星期", "个星期", "礼拜", "个礼拜"), "week"),
    **dict.fromkeys(("月", "个月"), "month"),
    **dict.fromkeys(("季度", "个季度"), "quarter"),
    "年": "year",
}
LUNAR_MONTHS = {"正": 1, "冬": 11, "腊": 12}

# Follows a bare date or holiday in a name: 五一广场, 五号楼, 5号线.
_PLACES = "广场|大道|路|街|巷|弄|村|桥|公园|大厦|中学|小学|大学|学校|医院|酒店|商场|体育|剧场|影院|纪念"
_NUMBERED = (
    "楼|线|店|桌|机|床|门|位|房|馆|车|厅|台|柜|井|仓|院|码|员|队|厂|铺|座|球|字|电池|选手|公路|宿舍|教室|会议|包|"
    "箱|屋|室|窗|口|航站|登机|站|文件|同学|技师|馆|坑|染|试|实验|病|种子|模型|产品|套餐|方案|色|油|汽油|针|楼层|馆"
)
NOT_HOLIDAY = rf"(?!{_PLACES}|新村|山庄|厂|班|套)"
NOT_NUMBERED = rf"(?!{_NUMBERED}|{_PLACES})"
_MOON = "球|亮|饼|台|色|光|季|经|子(?!女)|票|薪|租|供|卡|费|老|嫂|牙|食"
NOT_MONTH = f"(?!{_MOON}|路|街|龄|兰|雪|瓜|娃|革命|天(?![气哪我你他她去来在]))"
NOT_YEAR = "(?![级代期版龄糕货画检轻老]|以?[上下]的)"
NOT_TODAY = "(?!头条|说法|美术|资本|重现|方舟|香|之后》|之星)"
NOT_ACQUIRED = "(?!性|努力|养成|形成|失调|培养|习得|免疫|教育|因素|的我不努力)"
# Precedes a recurring time.
REPEATED = (
    r"(?:每|逢)(?:一|个|逢|隔|两|到|年|月|周|天|日|晚|星期|礼拜|个月|天都)*(?:的|在)?\s*$"
    r"|隔[周天月]的?$"
    # of an unnamed year or month: 那年冬天, 哪个周末, 有一年春节
    r"|(?:那|哪|某|当|有)一?(?:年|个|个月|月|天)的?$"
)
# Precedes something liked, or a name: 喜欢夏天, 名叫三月.
LIKED = r"(?:喜欢|热爱|讨厌|害怕|最爱|偏爱|期待|盼着|名?叫做?|姓)\s*$"
