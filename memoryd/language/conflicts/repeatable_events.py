"""What may happen more than once, so that two times or two numbers of it do not exclude each other."""

from __future__ import annotations

import re

from memoryd.language.conflicts.attribute_words import KIN_EN, ONE_KIN, ONE_OTHER
from memoryd.language.conflicts.slot import plain
from memoryd.language.conflicts.words import lines


def _either(block: str) -> str:
    return "|".join(lines(block))


_KIN_ZH = rf"{ONE_KIN}|{ONE_OTHER}|" + _either("哥哥 弟弟 姐姐 妹妹 儿子 女儿 孩子 朋友 同事 同学 室友 邻居")
_STATES_ZH = "养有婚业孕欠存攒当学作住干戒生涨跌降胖瘦重租雇带剩长到过超通不经度识"
"""What 了 behind them leaves as it is from then on."""
_DONE_ZH = rf"^(?:[^的]|的(?={_KIN_ZH}))*?(?<![{_STATES_ZH}])[了过](?=.)"
"""Done by a person, not befallen to what is theirs."""
_DO_ZH = _either(
    """
    去 买 看 听 吃 喝 见 遇见 遇到 碰到 碰见 打 玩 跑 走 爬 游 骑 逛 聊 参加 拜访 探望 出差 旅行 旅游 度假
    开会 体检 复查 复诊 健身 锻炼 散步 加班 请假 迟到 洗 做饭 寄 收到 送 借 卖 捐 拍 写 画 唱 熬夜 感冒 发烧
    生病 喂 遛 上课 下棋 钓 练 服 输 丢 摔 面试 住院
    """
)
_AT_TIMES_ZH = re.compile(
    rf"{_DONE_ZH}|(?<!的)(?:{_DO_ZH})(?![的世年])|有(?:一?[个节场次堂门])?.{{0,4}}"
    r"(?:会|会议|课|班|聚会|饭局|训练|约会|应酬|培训|活动)$"
)
_COUNTED_ZH = re.compile(rf"{_DONE_ZH}|(?:{_DO_ZH})[完到掉好]?[了过]|收到|住院|[借转寄送付]给")
_OTHERS_EN = rf"{KIN_EN}|parents|family|boss|colleague|coworker|neighbou?r|roommate|partner|kids"
_PERSON_EN = (
    r"^(?:(?:last night|yesterday|today|this \w+),? )?(?:i|we|you|he|she|they|the user"
    rf"|(?:my|our|his|her|their|the user's) (?:\w+ )?(?:{_OTHERS_EN})(?: and i)?"
    r"|(?!(?:my|our|his|her|their|the|this|that)\b)\w+(?: and \w+)?)"
    r"(?: (?:have|has|had|also|just|recently|usually|already|once|always|normally|typically)|'ve|'s|'d)*"
)
_DID_EN = _either(
    """
    been went gone bought saw seen ate eaten drank took taken met flew flown drove driven ran swam wrote
    written read sent gave paid spent sold found made caught fed slept spoke rode came heard did brought sang
    won lost drew threw lent got did taught fought cut hit fell had
    """
)
_DO_EN = _either(
    """
    takes? eats? drinks? goes go runs? swims? walks? plays? feeds? wash washes practice practices practise
    exercises? trains? cooks? watch watches reads? jogs? calls? works? shops?
    """
)
_WITH_EN = _either(
    """
    meeting call class lesson lecture shift practice training session rehearsal breakfast lunch dinner supper
    brunch coffee date party workshop seminar webinar game match yoga pilates gym therapy choir physio
    """
)
_COUNTED_EN = re.compile(rf"{_PERSON_EN} (?:(?:{_DID_EN})|\w{{2,}}ed)\b")
_AT_TIMES_EN = re.compile(
    rf"{_PERSON_EN} (?:(?:{_DID_EN}|{_DO_EN})|\w{{2,}}ed"
    rf"|(?:have|has|had|got)(?: got)?(?: an?| another| my| some)?(?: \w+)? (?:{_WITH_EN})(?:e?s)?"
    r"|(?:was|were) (?:in|at))\b"
)
_ONCE_ZH = _either(
    "结婚 毕业 出生 去世 过世 入职 留学 大学 退休 认识 离婚 移民 出国 成立 创办 创立 订婚 搬 考上 驾照 预约"
)
_ONCE_EN = _either(
    """
    married|divorced|engaged|born|graduated|died|passed away|retired|turned|moved|started|joined|founded
    |immigrated|emigrated|enrolled|weighed|earned|owned|lived|worked(?! out)|takes? place|took place|got rid
    |hired"""
)
_ONCE = re.compile(
    rf"{_ONCE_ZH}|[了过完到][这那]|的[^的]{{1,8}}花了|\b(?:{_ONCE_EN}"
    r"|(?:bought|sold|built|wrote|made|found|lost|got|adopted|published|finished|opened|closed)"
    r" (?:my|our|his|her|their|the|this)"
    r"|met (?:my|his|her) (?:\w+ )?(?:wife|husband|partner|spouse|girlfriend|boyfriend|friend|fianc\w+))\b"
)
"""Of these there is one, or the very one that is named."""
_AT_HOUR = re.compile(r"\bat \d{1,2}$")
_RATE = re.compile(
    r"每|[一两][天日周月年]|\bfor (?:\w+ ){1,2}years?\b"
    r"|\b(?:an?|per|every|each) (?:day|week|month|year|night|hour)\b|daily|weekly"
)


def recurs_in_time(text: str) -> bool:
    """Whether a clause, folded, tells of what may happen at several times."""
    return not _ONCE.search(text) and bool(_AT_TIMES_ZH.search(text) or _AT_TIMES_EN.match(text))


def recurs_in_number(text: str) -> bool:
    """Whether a clause, folded, tells of what may happen with several numbers, and not how much in a time."""
    if _ONCE.search(text) or _RATE.search(text):
        return False
    if _AT_HOUR.search(plain(text)):
        return recurs_in_time(text)
    return bool(_COUNTED_ZH.search(text) or _COUNTED_EN.match(text))
