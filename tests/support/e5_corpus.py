"""Texts on which the two engines of multilingual-e5-small have to agree."""

from __future__ import annotations

from memoryd.models import probe

CHINESE = (
    "猫",
    "我家的猫叫团子，今年三岁，最喜欢吃小鱼干。",
    "昨天晚上服务器又宕机了，修到凌晨两点才恢复。",
    "周末和朋友去爬山，路上下了一场大雨，大家都淋湿了。",
    "你还记得我上次说的那件事吗？",
    "哈哈哈哈哈哈，笑死我了！！！",
    "　　段落开头有两个全角空格。",
    "三百六十五里路呀，从少年到白头；长长的路呀，就要到尽头。",
    "主人对花生过敏，吃了会起疹子，所以点菜的时候要提醒店家不要放花生。",
    "2024年5月3日下午6点30分，我们在人民公园3号门见面。",
)
TRADITIONAL = (
    "臺灣的夜市小吃非常有名，尤其是臭豆腐和珍珠奶茶。",
    "我哋聽日去飲茶啦，你得唔得閒呀？",
    "圖書館裡靜悄悄的，只聽得見翻書的聲音。",
    "憂鬱的臺灣烏龜",
)
ENGLISH = (
    "a",
    "Good morning!",
    "He is allergic to peanuts and carries an inhaler wherever he goes.",
    "The quick brown fox jumps over the lazy dog.",
    "She moved from Toronto to Lisbon in 2019, because of a new job at the harbour.",
    "I can't believe you've done this... again?!",
    "ALL CAPITALS AND NO MERCY",
    "naïve café déjà vu — “quoted” ‘single’ … and so on",
)
JAPANESE = (
    "昨日は友達と渋谷で映画を見ました。",
    "コンピューターが壊れてしまったので、修理に出しました。",
    "ｶﾀｶﾅの半角も読めますか？",
    "ありがとうございます！(＾ω＾)",
)
KOREAN = (
    "오늘은 비가 와서 집에서 책을 읽었어요.",
    "김치찌개를 먹고 싶다",
    "\u1112\u1161\u11ab\u1100\u1173\u11af",  # conjoining letters of 한글
)
OTHER_SCRIPTS = (
    "Вчера мы гуляли в парке и ели мороженое.",
    "ذهبنا إلى الحديقة أمس وأكلنا الآيس كريم.",
    "हम कल पार्क में घूमने गए थे।",
    "เมื่อวานเราไปเดินเล่นที่สวนสาธารณะ",
    "Χθες πήγαμε μια βόλτα στο πάρκο.",
    "אתמול טיילנו בפארק",
)
EMOJI = (
    "😀",
    "😂😂😂😂😂",
    "👩‍👩‍👧‍👦🐈‍⬛ 🇨🇳",
    "❤️ 🧡 💛",
    "今天好开心🎉🎉 see you tomorrow 👋🏽",
    "¯\\_(ツ)_/¯",
)
MIXED = (
    "今天的meeting被cancel了，下周一再约。",
    "用Python写了一个小script来sort照片",
    "我的 Wi-Fi 密码是 abc123，別告訴別人哦～",
    "iPhone 15 Pro Max比上一代贵了￥1,000",
    "ラーメン屋 ramen shop 拉面店",
)
CODE = (
    "def f(x: int) -> str:\n    return f'{x:>10}'  # {'a': [1, 2, 3]}",
    "SELECT * FROM memories WHERE id = 'a-b-c' AND ts > 1700000000;",
    "https://example.org/a?b=c&d=%20e#f",
    "user@example.org +86 138 0000 0000",
    "C:\\Users\\名字\\Desktop\\新建文件夹 (2)\\报告.docx",
    '{"key": ["value", null, true, 1e-9]}',
    "<div class='x'>&nbsp;&lt;</div>",
    "550e8400-e29b-41d4-a716-446655440000",
)
SPECIALS = (
    "<s> </s> <unk> <mask> <pad>",
    "</s>",
    "before</s>after",
    "<mask>",
    "text with <unk> inside",
    "[CLS] [SEP] ▁ ▁▁ ▁word",
    "query: query: passage: x",
)
BROKEN = (
    "lone \ud83d surrogate",
    "\udc00",
    "\ufffd",
    "\ufffd\ufffd\ufffd broken \ufffd",
    "猫\0喜欢\0吃鱼",
    "\0x\0",
    "\x01\x02\x03",
    "bell\x07 tab\t line\nfeed\r\n return \x7f delete \x85 next \xa0 space",
    "\u200b\u200d",
    "zero\u200bwidth\u200c\u200d\ufeff",
    "\u202eright to left\u202c",
    "ﬁ ﬂ ½ ¾ … ㌔ ⑽ ™",
    "\ufdfa" * 20,
    "e\u0301" * 30,
    "\u0301\u0302",
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞",
    "Ｆｕｌｌ　ｗｉｄｔｈ　１２３！",
    "ÅÅÅ ΩΩ",
)
UNKNOWN = (
    "𓀀",
    "𓀀𓀁𓀂𓀃",
    "𓀀 𓀁",
    "before 𓀀𓀁𓀂 after",
    "𓀀𓀁猫𓀂",
    "🫨🪿 new emoji 🪼🪼",
    "\U000f0000\U0010fffd private",
    "\ue000\uf8ff",
    "𒀀𒀁𒀂 and 𐎀𐎁",
)
SPACES = (
    "  two in front",
    "two behind  ",
    "many      between     words",
    " \t\n mixed \r\n\t blanks \u3000\u2003 ",
    "\u00a0no-break\u00a0",
    "x ",
    " x",
)
EXTREMES = (
    "x",
    "。",
    "?",
    "0",
    "a" * 300,
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "1234567890" * 12,
    "。。。。。。！！！？？？",
    "嗯" * 100,
)

GROUPS: dict[str, tuple[str, ...]] = {
    "chinese": CHINESE,
    "traditional": TRADITIONAL,
    "english": ENGLISH,
    "japanese": JAPANESE,
    "korean": KOREAN,
    "other scripts": OTHER_SCRIPTS,
    "emoji": EMOJI,
    "mixed": MIXED,
    "code": CODE,
    "specials": SPECIALS,
    "broken": BROKEN,
    "unknown": UNKNOWN,
    "spaces": SPACES,
    "extremes": EXTREMES,
}
TEXTS: tuple[str, ...] = tuple(text for group in GROUPS.values() for text in group)

LONG: tuple[str, ...] = (
    " ".join(probe.TEXTS[:48]),
    "def f(x):\n    return {'a': x, 'b': [1, 2, 3]}\n\n" * 24,
)
"""Over 512 tokens each."""
