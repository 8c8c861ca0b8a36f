"""The words by which clauses are compared: function words, antonyms, synonyms.

Chinese entries match anywhere in a text, English ones are words in any form or phrases; `_` is a space.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from memoryd.language.conflicts.tokens import spellings
from memoryd.language.fold import index_terms
from memoryd.language.text_cache import text_cache

Role = Literal["negation", "hedge", "wish", "supposition", "question", "past", "empty", "user"]

_ROLES: dict[Role, str] = {
    "user": """主人 用户 本人 我 俺 自己 the_user's the_user user's user i me my mine myself we our us""",
    "negation": """从来没有 从来没 从来不 从没有 从没 从不 没有在 没有 并非 并没有 并不 绝不 毫不 不再 不 没
        无 未 勿 not no never no_longer neither nor""",
    "hedge": """可能 大概 也许 或许 好像 似乎 大约 估计 据说 听说 我觉得 我感觉 觉得 应该 通常 一般 平时 左右
        约 probably maybe perhaps possibly i_think i_guess i_believe_that seems_to_be seem apparently usually
        generally normally typically about around might""",
    "wish": """想要 想 希望 打算 计划 准备 考虑 梦想 愿望 want wish hope plan_to would_like 'd_like would_love
        'd_love dream_of thinking_of thinking_about consider would""",
    "supposition": """要是 如果 假如 假设 要不是 万一 除了 除非 只有 if suppose unless except wonder whether
        only_when""",
    "question": """吗 么？ 是不是 有没有 会不会 能不能 问过 问： 谁 什么 哪里 哪儿 为什么 怎么 ？ ? who what
        why how which""",
    "past": """以前 曾经 曾 过去 小时候 从前 原来 原本 之前 当年 当时 那时 年轻时 上学时 后来 used_to
        previously as_a_child when_i_was back_then in_the_past ago was were lived worked liked loved hated had
        once before""",
    "empty": """现在 目前 如今 今年 最近 已经 还是 依然 仍然 一直 都 也 就 还 才 又 特别 非常 十分 真的 其实
        确实 超级 比较 有点儿 有点 有些 一点 很 挺 太 最 极 更 好 的 地 得 了 着 呢 啊 吧 呀 哦 嗯 嘛 啦 哈 在
        是 有 会 能 可以 能够 要 被 把 去 来 过 到 于 为 和我 一名 一位 一个 一只 一条 一种 一家 这个 那个 这
        那 个 位 名 只 条 家里 家 养了 养 总共 一共 每天 天天 总是 每次 所有 任何 吃 喝 a an the this that 's
        'm 're 've be do does did have having get got will 'll can could able_to really definitely sure very
        quite truly just actually so too also now currently nowadays these_days anymore already still yet
        lately recently any ever of to for with and there every_day all each always in on at by from it own
        much a_lot at_all eat drink as was_born were_born was_called was_named""",
}
_SYNONYMS = """儿子 独生子/女儿 独生女/妻子 老婆 太太 媳妇/丈夫 老公 先生/医生 大夫/老师 教师/程序员
    软件工程师 码农/猫 猫咪 小猫/狗 狗狗 小狗/喜欢 喜爱/千米 公里/千克 公斤/元 块钱 块/孩子 小孩/favorite
    favourite/flat apartment/movie film/holiday vacation/boss manager/kid child children/color colour/go went
    goes gone/drive drove/eat ate/buy bought/developer programmer/doctor physician/lawyer attorney/kg
    kilograms kilogram kilos/km kilometers kilometres/mile miles"""
_FACTS = """
liking: 喜欢 喜爱 热爱 爱吃 爱喝 爱看 爱听 爱玩 爱 享受 like love enjoy adore fond_of keen_on / 讨厌 厌恶 反感
    受不了 恨 dislike hate detest loathe can't_stand cannot_stand can_not_stand can't_bear
marriage: 单身 未婚 single unmarried / 已婚 结婚 结了婚 married / 离婚了 离异 divorced / 丧偶 widowed
rising: 早起 晨型人 early_bird morning_person get_up_early / 晚起 夜猫子 night_owl night_person get_up_late
nature: 内向 introvert introverted / 外向 extrovert extroverted outgoing
agreement: 同意 赞成 支持 agree support approve / 反对 disagree oppose disapprove
trust: 信任 相信 trust believe / 怀疑 distrust doubt
seniority: 比我大 older_than / 比我小 younger_than
hand: 左撇子 left-handed / 右撇子 right-handed
smoking: 抽烟 吸烟 smoke smoker / 戒烟 nonsmoker quit_smoking gave_up_smoking
health: 健康 healthy / 生病 sick ill
opening: 开着 开门 open / 关着 关门 closed shut
life: 活着 健在 在世 alive / 去世 去世了 过世 死了 dead died passed_away
result: 通过 及格 考上 pass passed / 落榜 挂科 fail failed
"""
"""One line for each subject; words of different sides exclude each other."""
_IMPRESSIONS = """
bedtime: 早睡 sleep_early go_to_bed_early / 晚睡 熬夜 sleep_late stay_up_late go_to_bed_late
sleep: 睡得好 sleep_well / 睡得差 失眠 sleep_badly
price: 便宜 cheap / 贵 expensive
noise: 安静 quiet / 吵 吵闹 noisy loud
difficulty: 简单 容易 easy simple / 难 困难 复杂 difficult hard
kindness: 友好 善良 friendly kind nice / 冷漠 粗鲁 unfriendly rude mean
quality: 好吃 好看 好用 good great excellent / 难吃 难看 难用 bad terrible awful
order: 整洁 干净 clean tidy / 脏 乱 dirty messy
build: 胖 fat overweight / 瘦 thin slim
"""
"""The same, for subjects on which one may think otherwise tomorrow."""
_GRAVE = """过敏 手术 药 怀孕 糖尿病 高血压 心脏病 哮喘 癫痫 癌 疾病 病 胰岛素 母语 血型 生日 allergic allergy
    surgery medicine medication pill dose insulin pregnant diabetes diabetic asthma epilepsy cancer disease
    antibiotic heart blood birthday mg"""
_FAMILY = """女儿 儿子 孩子 兄弟 姐妹 哥哥 弟弟 姐姐 妹妹 妻子 丈夫 daughter son child children kid kids
    brother sister sibling twin wife husband"""
_CHANGING = """体重 睡 心情 weight weigh kg kilos pounds sleep asleep bedtime nap mood"""
_WHOLE = """预约 约会 约好 爱好 爱人 会议 会计 社会 机会 才能 有名 想法 理想 想念 要求 重要 需要 过敏 超过
    过年 地方 地址 得到 好友 成都 首都 就业 最喜欢 最爱 存在 公司"""


class Side(NamedTuple):
    """A subject, and on which side of it a word stands."""

    subject: str
    number: int


def entries(block: str) -> list[str]:
    """The entries of a table."""
    return [entry.replace("_", " ") for entry in block.split()]


@text_cache(4096)
def stem(word: str) -> str:
    """The stem of one English word; other words unchanged."""
    terms = index_terms(word) if word.isascii() else []
    return terms[0] if len(terms) == 1 else word


def _sides(table: str) -> dict[str, Side]:
    rows = (row.split(": ", 1) for row in table.replace("\n    ", " ").strip().splitlines())
    sides = ((subject, number, side) for subject, row in rows for number, side in enumerate(row.split(" / ")))
    return {entry: Side(subject, number) for subject, number, side in sides for entry in entries(side)}


ROLES: dict[str, Role] = {entry: role for role, block in _ROLES.items() for entry in entries(block)}
SIDES = _sides(_FACTS) | _sides(_IMPRESSIONS)
SIDES |= {stem(word): side for word, side in SIDES.items() if word.isascii() and word.isalpha()}
IMPRESSIONS = frozenset(side.subject for side in _sides(_IMPRESSIONS).values())
SYNONYMS = spellings(_SYNONYMS)
"""Word -> the word it is compared as."""
WHOLE = frozenset(word for word in entries(f"{_WHOLE} {_FAMILY}") if not word.isascii())
"""Chinese words that are one token."""
GRAVE, FAMILY, CHANGING = (frozenset(map(stem, entries(block))) for block in (_GRAVE, _FAMILY, _CHANGING))
"""Health, safety and identity; members of a family; what changes by itself."""
