"""Words for people by what they are to somebody."""

from __future__ import annotations

_WORDS = {
    "mother": "妈妈 母亲 妈 老妈 妈咪 mother mom mum mommy mama",
    "father": "爸爸 父亲 爸 老爸 爹 father dad daddy papa",
    "sister": "姐姐 妹妹 姐 妹 大姐 二姐 小妹 亲妹妹 亲姐姐 双胞胎妹妹 双胞胎姐姐 sister sis",
    "brother": "哥哥 弟弟 哥 弟 大哥 二哥 亲弟弟 亲哥哥 双胞胎弟弟 双胞胎哥哥 brother bro",
    "son": "儿子 大儿子 小儿子 son",
    "daughter": "女儿 大女儿 小女儿 daughter",
    "wife": "妻子 老婆 太太 媳妇 爱人 wife",
    "husband": "丈夫 老公 husband",
    "girlfriend": "女朋友 女友 未婚妻 girlfriend fiancee fiancée",
    "boyfriend": "男朋友 男友 未婚夫 boyfriend fiance fiancé",
    "grandmother": "奶奶 外婆 姥姥 祖母 外祖母 grandmother grandma granny nana",
    "grandfather": "爷爷 外公 姥爷 祖父 外祖父 grandfather grandpa granddad",
    "uncle": "叔叔 舅舅 伯伯 伯父 姑父 姨父 大伯 uncle",
    "aunt": "阿姨 姑姑 姨妈 舅妈 姑妈 婶婶 小姨 aunt auntie",
    "cousin": "表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹 cousin",
    "friend": "朋友 好朋友 好友 闺蜜 哥们 死党 最好的朋友 好闺蜜 老朋友 friend buddy pal",
    "colleague": "同事 前台同事 老同事 colleague coworker co-worker workmate",
    "classmate": "同学 大学同学 高中同学 初中同学 小学同学 老同学 同班同学 研究生同学 classmate",
    "roommate": "室友 舍友 合租室友 roommate flatmate housemate",
    "neighbor": "邻居 楼上邻居 隔壁邻居 neighbor neighbour",
    "boss": "老板 上司 领导 主管 boss manager supervisor",
    "teacher": "老师 导师 班主任 钢琴老师 英语老师 数学老师 语文老师 教练 teacher tutor coach",
    "student": "学生 徒弟 student pupil",
}
_ALL = {word: relation for relation, words in _WORDS.items() for word in words.split()}
KIN_ZH = {word: relation for word, relation in _ALL.items() if word >= "\u4e00"}
KIN_EN = {word: relation for word, relation in _ALL.items() if word < "\u4e00"}
PEOPLE_EN = {
    **KIN_EN,
    **{f"{word}s": f"{relation}s" for word, relation in KIN_EN.items()},
    **{word: word for word in ("parents", "grandparents", "family", "children", "partner")},
    "kids": "children",
}
PEOPLE_ZH = {**KIN_ZH, "父母": "parents", "爸妈": "parents", "爷爷奶奶": "grandparents", "家人": "family"}
"""The same with words for several."""

SHOWN_ZH = {relation: words.split()[0] for relation, words in _WORDS.items()} | {
    "sister": "姐妹",
    "brother": "兄弟",
    "grandmother": "祖母或外祖母",
    "grandfather": "祖父或外祖父",
    "uncle": "叔伯或舅舅",
    "aunt": "姑姨或婶婶",
    "cousin": "堂亲或表亲",
    "parents": "父母",
    "grandparents": "祖父母或外祖父母",
    "family": "家人",
    "children": "孩子",
    "partner": "伴侣",
}
"""The Chinese word for a relation where the evidence has none; it is no narrower than the English word."""

SPOKEN_ZH = {**{word: relation for relation, word in SHOWN_ZH.items()}, **PEOPLE_ZH}
"""Every Chinese word for a relation, including those that are only shown."""
