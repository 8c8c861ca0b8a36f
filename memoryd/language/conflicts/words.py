"""The words by which statements are compared: what negates, hedges, wishes, asks, sets in the past, or
carries nothing. English ones are single words in any of their forms, or phrases; Chinese ones any run."""

from __future__ import annotations

from typing import Literal

from memoryd.language.fold import index_terms
from memoryd.language.text_cache import text_cache

Role = Literal["negation", "hedge", "wish", "supposition", "asking", "past", "empty", "user", "harmless"]


def lines(block: str) -> tuple[str, ...]:
    """The entries of a block: by `|` where there is one, by white space otherwise."""
    parts = block.split("|") if "|" in block else block.split()
    return tuple(" ".join(part.split()) for part in parts if part.strip())


@text_cache(4096)
def stem(word: str) -> str:
    """The stem of one English word; other words are themselves."""
    terms = index_terms(word)
    return terms[0] if len(terms) == 1 else word


_CHINESE: dict[Role, str] = {
    "user": "主人 用户 本人 我 俺 自己",
    "negation": """
        从来没有 从来没 从来不 从没有 从没 从不 没有在 没有 并非 并没有 并不 绝不 毫不 不再 不 没 无 未
        勿
        """,
    "harmless": """
        不错 不好意思 差不多 没关系 没问题 没事 对不起 了不起 不仅 不但 不只 不光 不过 不管 无论 不少
        不久 不同 不断 不得不 不小心 无锡 未来 未婚夫 未婚妻 非洲 不丹 爱好 爱人 可爱 恋爱 爱情 会议
        会计 社会 机会 音乐会 演唱会 才能 有名 想法 理想 想念 要求 重要 需要 过敏 超过 过年 过节 能力
        智能 地方 地铁 地址 地点 得到 太太 太阳 好友 好朋友 人才 首都 成都 就业 还款 最喜欢 最爱 现任
        在职 存在 大学 小学 更新 有限公司 是否 特长 去世 过世 来自 在世 预约 约会 约好 约了
        """,
    "hedge": """
        可能 大概 也许 或许 好像 似乎 大约 估计 据说 听说 我觉得 我感觉 觉得 应该 通常 一般 平时 左右 约
        看起来 看上去 印象中 差不多
        """,
    "wish": "想要 想 希望 打算 计划 准备 考虑 梦想 愿望 盼着 恨不得",
    "supposition": "要是 如果 假如 假设 要不是 万一 梦见 梦到 除了 除非 只有",
    "asking": "吗 么？ 是不是 有没有 会不会 能不能 喜不喜欢 问过 问： 谁 什么 哪里 哪儿 为什么 怎么 ？ ?",
    "past": """
        以前 曾经 曾 过去 小时候 从前 原来 原本 之前 当年 当时 那时候 那时 早年 年轻时 年轻的时候 上学时
        读书时 去年 前年 大学时 上个月 上个星期 上周 上学期 去年夏天 一度 后来
        """,
    "empty": """
        现在 目前 如今 今年 最近 已经 还是 依然 仍然 一直 都 也 就 还 才 又 特别 非常 十分 真的 其实
        确实 超级 比较 有点儿 有点 有些 一点 很 挺 太 最 极 超 蛮 更 好 的 地 得 了 着 呢 啊 吧 呀 哦 嗯
        嘛 啦 哈 在 是 有 会 能 可以 能够 要 被 把 去 来 过 到 于 为 和我 一名 一位 一个 一只 一条 一种
        一家 这个 那个 这 那 个 位 名 只 条 家里 家 养了 养着 养 总共 一共 每天 天天 总是 每次 所有 任何
        觉得 感到 安排 定 进行 吃 喝
        """,
}
_ENGLISH: dict[Role, str] = {
    "user": "the user's | the user | user's | user | i | me | my | mine | myself | we | our | us",
    "negation": "not | n't | no | never | no longer | cannot | neither | nor",
    "harmless": "no problem | no doubt | not only | no one",
    "hedge": """
        probably | maybe | perhaps | possibly | i think | i guess | i suppose | seem to be |
        seems to be | seem | apparently | usually | generally | normally | typically | about | around |
        roughly | approximately | kind of | sort of | might | likely | i'm not sure but | supposedly |
        reportedly | more or less | as far as i know
        """,
    "wish": """
        want | wish | hope | plan to | would like | 'd like | would love | 'd love | dream of | dreams
        of | thinking of | thinking about | considering | consider | would rather | would
        """,
    "supposition": """
        if | suppose | imagine | dreamt | dreamed | unless | except | wonder | whether | only when
        """,
    "asking": "? | who | what | why | how | which",
    "past": """
        used to | formerly | previously | as a child | as a kid | as a teenager | when i was | when she
        was | when he was | back then | in the past | last year | last month | last week | last summer |
        last winter | last spring | ago | was | were | lived | worked | liked | loved | hated | had |
        once | before | at first | initially
        """,
    "empty": """
        a | an | the | this | that | 's | 'm | 're | 've | be | is | are | am | been | being | do | does
        | did | have | has | having | got | get | will | 'll | can | could | be able to | is able to |
        are able to | am able to | able to | really | definitely | certainly
        | indeed | of course | sure | very | quite | truly | just | actually | so | such
        | too | also | now | currently | nowadays | these days | anymore | any more | already | still |
        yet | lately | recently | any | ever | of | to | for | with | and | there | every day | all |
        each | always | in | on | at | by | from | it | really | own | own a | absolutely | totally |
        much | a lot | at all | these | those | schedule | eat | drink | as
        """,
}
_BORN = "was born | were born | was called | was named"
"""Past forms that say nothing of the past being over."""


def _roles() -> dict[str, Role]:
    found: dict[str, Role] = {}
    for table in (_CHINESE, _ENGLISH):
        for role, block in table.items():
            found |= dict.fromkeys(lines(block), role)
    return found | dict.fromkeys(lines(_BORN), "empty")


ROLES = _roles()
"""Word or phrase -> what it does."""

CHANGING = frozenset(
    lines(
        "体重 睡 睡觉 早睡 晚睡 心情 weight weigh kg kilos pounds sleep asleep bedtime nap mood 小时睡眠 睡眠"
    )
)
"""What changes by itself."""
GRAVE = frozenset(
    lines(
        """
        过敏 手术 药 吃药 服药 怀孕 糖尿病 高血压 心脏病 哮喘 癫痫 癌 癌症 疾病 病史 病 胰岛素 青霉素
        残疾 流产 输血 急诊 自杀 抑郁症 母语 血型 生日 allergic allergy surgery operation medicine
        medication pill dose insulin pregnant diabetes diabetic asthma epilepsy cancer disease disorder
        aspirin penicillin antibiotic pacemaker hiv seizure heart inhaler blood birthday mg
        """
    )
)
"""Health, safety and who one is."""
FAMILY = frozenset(
    lines(
        """
        女儿 儿子 孩子 兄弟 姐妹 哥哥 弟弟 姐姐 妹妹 双胞胎 妻子 丈夫 daughter son child children kid kids
        brother sister sibling siblings twin twins wife husband
        """
    )
)
"""Whom one has, as grave as long as nothing else is said of them."""
GRAVE_STEMS = frozenset(stem(word) for word in GRAVE)
FAMILY_STEMS = frozenset(stem(word) for word in FAMILY)
CHANGING_STEMS = frozenset(stem(word) for word in CHANGING)

WHOLE = frozenset(
    lines(
        """妻子 丈夫 儿子 女儿 爸爸 妈妈 爷爷 奶奶 外公 外婆 哥哥 弟弟 姐姐 妹妹 孩子 兄弟 姐妹 双胞胎
        女朋友 男朋友 同事
        同学 朋友 室友 邻居
        老板 上司 领导 老师 医生 结婚纪念日 生日 血型 公司 星座 手机 电话"""
    )
)
"""Chinese words that are no run of characters."""
_SAME = """
    儿子 独生子 | 女儿 独生女 | 妻子 老婆 太太 媳妇 | 丈夫 老公 先生 | 爸爸 爸 父亲 | 妈妈 妈 母亲 |
    mother mom mum
    | father dad | favorite favourite | flat apartment | movie film | holiday vacation | boss manager |
    kid child children
    | color colour | go went goes gone | drive drove | eat ate | buy bought | 猫 猫咪 小猫 | 狗 狗狗 小狗
    | 喜欢 喜爱
    | 千米 公里 | 千克 公斤 | kg kilograms kilogram kilos | km kilometers kilometres | mile miles | 元 块钱 块
    | 孩子 小孩 | 老师 教师
"""
SAME = {word: group.split()[0] for group in lines(_SAME) for word in group.split()[1:]}
"""Words for one thing -> the one they are read as."""
