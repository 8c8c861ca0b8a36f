"""Words that exclude each other, by what they are about. Words of one side say about the same."""

from __future__ import annotations

from typing import NamedTuple

from memoryd.language.conflicts.words import lines, stem


class Side(NamedTuple):
    """One side of an opposition."""

    about: str
    side: int


_OPPOSITES: dict[str, tuple[str, ...]] = {
    "liking": (
        """
        喜欢 喜爱 热爱 酷爱 爱吃 爱喝 爱看 爱听 爱玩 爱 钟爱 享受 着迷 | like | love | enjoy | adore |
        fond of | a fan of | keen on | into
        """,
        """
        讨厌 厌恶 反感 受不了 痛恨 憎恶 恨 嫌弃 烦 | dislike | hate | detest | loathe | despise | can't
        stand | cannot stand | can not stand | couldn't stand | can't bear | cannot bear | sick of
        """,
    ),
    "marriage": (
        "单身 未婚 | single | unmarried",
        "已婚 结婚 结了婚 | married",
        "离婚了 离异 已离婚 | divorced",
        "丧偶 | widowed",
    ),
    "hour of sleep": (
        """
        早睡 睡得早 | go to bed early | goes to bed early | sleep early | sleeps early
        """,
        """
        晚睡 熬夜 睡得晚 | go to bed late | goes to bed late | stay up late | stays up late | sleep late
        | sleeps late
        """,
    ),
    "hour of rising": (
        """
        早起 起得早 | get up early | gets up early | wake up early | wakes up early | early riser
        """,
        """
        晚起 睡懒觉 起得晚 | get up late | gets up late | sleep in | sleeps in | wake up late | wakes up
        late | late riser
        """,
    ),
    "time of life": (
        """
        晨型人 早鸟 | morning person | early bird | morning people
        """,
        """
        夜猫子 夜型人 | night owl | night person | evening person
        """,
    ),
    "earliness": ("早 提前 | early", "晚 推迟 迟到 | late"),
    "temper": (
        """
        内向 | introvert | introverted | shy | reserved
        """,
        """
        外向 开朗 | extrovert | extroverted | outgoing
        """,
    ),
    "build": ("胖 肥胖 超重 | fat | overweight | chubby", "瘦 苗条 | thin | slim | skinny | underweight"),
    "stature": ("个子高 个子很高 高个子 很高 | tall", "个子矮 个子很矮 矮个子 矮 | short"),
    "agreement": (
        """
        同意 赞成 支持 赞同 | agree | support | in favor of | in favour of | approve
        """,
        """
        反对 | disagree | oppose | against | disapprove
        """,
    ),
    "trust": ("信任 相信 | trust | believe", "怀疑 | distrust | mistrust | doubt"),
    "seniority": (
        "比我大 | older than | elder than",
        "比我小 | younger than",
    ),
    "sleep": (
        "睡得好 睡得香 | sleep well | sleeps well",
        "睡得差 睡得不好 失眠 | sleep badly | sleeps badly | sleep poorly",
    ),
    "hand": (
        """
        左撇子 左利手 | left-handed | left handed | lefty
        """,
        "右撇子 右利手 | right-handed | right handed",
    ),
    "diet": (
        "吃素 素食者 素食主义者 素食 | vegetarian | vegan",
        """
        吃肉 无肉不欢 爱吃肉 肉食者 | eats meat | eat meat | carnivore | meat eater
        """,
    ),
    "smoking": (
        "抽烟 吸烟 | smoke | smoker",
        """
        戒烟 戒烟了 戒了烟 | nonsmoker | non-smoker | quit smoking | quits smoking | gave up smoking
        """,
    ),
    "alcohol": (
        "酗酒 爱喝酒 | heavy drinker",
        """
        滴酒不沾 戒酒 戒酒了 | teetotal | teetotaler | quit drinking | gave up drinking
        """,
    ),
    "work": (
        "在职 有工作 上班族 | employed | has a job",
        """
        失业 无业 待业 失业了 | unemployed | jobless | out of work
        """,
    ),
    "health": (
        "健康 身体好 身体很好 | healthy | fit",
        """
        生病 生病了 体弱 身体差 身体不好 虚弱 | sick | ill | unwell | unhealthy
        """,
    ),
    "mood": (
        "开心 高兴 快乐 幸福 | happy | cheerful | glad",
        """
        难过 伤心 沮丧 郁闷 | sad | unhappy | miserable | depressed
        """,
    ),
    "taste": ("爱吃辣 能吃辣 | spicy", "清淡 | mild | bland"),
    "warmth": ("热 炎热 怕冷 | hot | warm", "冷 寒冷 怕热 | cold | chilly"),
    "price": (
        "便宜 实惠 | cheap | inexpensive | affordable",
        """
        贵 昂贵 很贵 | expensive | pricey | overpriced
        """,
    ),
    "noise": ("安静 清静 | quiet | silent | peaceful", "吵 吵闹 嘈杂 | noisy | loud"),
    "difficulty": ("简单 容易 | easy | simple", "难 困难 复杂 | difficult | hard | complicated"),
    "interest": (
        """
        有趣 有意思 好玩 精彩 | interesting | exciting | fun | fascinating
        """,
        "无聊 枯燥 没意思 乏味 | boring | dull | tedious",
    ),
    "strictness": (
        "严格 严厉 | strict | stern",
        """
        宽松 随和 温和 | lenient | easygoing | easy-going | relaxed
        """,
    ),
    "kindness": (
        """
        友好 善良 亲切 热情 | friendly | kind | nice | warm-hearted
        """,
        """
        冷漠 刻薄 凶 粗鲁 | unfriendly | unkind | rude | mean | cold-hearted
        """,
    ),
    "quality": (
        """
        好吃 美味 好用 好看 | good | great | excellent | delicious | tasty | wonderful
        """,
        """
        难吃 难用 难看 差劲 | bad | terrible | awful | disgusting | horrible
        """,
    ),
    "leisure": ("忙 繁忙 忙碌 | busy", "闲 空闲 清闲 | free | idle"),
    "size": (
        "很大 巨大 宽敞 | big | large | huge | spacious",
        """
        很小 狭小 拥挤 | small | tiny | cramped | little
        """,
    ),
    "distance": ("很近 离得近 近 | near | close to | nearby", "很远 离得远 远 | far from | far away | far"),
    "speed": ("快 | fast | quick", "慢 | slow"),
    "light": ("明亮 亮 | bright", "昏暗 黑暗 暗 | dark | dim"),
    "wealth": ("有钱 富有 富裕 | rich | wealthy", "没钱 贫穷 穷 | poor | broke"),
    "safety": ("安全 | safe", "危险 | dangerous | unsafe"),
    "age": ("年轻 | young", "年老 老了 | old | elderly"),
    "order": ("整洁 干净 整齐 爱干净 | clean | tidy | neat", "脏 邋遢 凌乱 乱 | dirty | messy | untidy"),
    "opening": ("开着 开门 营业 | open", "关着 关门 停业 倒闭 | closed | shut"),
    "life": ("活着 健在 在世 | alive", "去世 去世了 过世 死了 已故 | dead | died | passed away | deceased"),
    "result": (
        """
        通过 通过了 及格 考上 考上了 录取 | pass | passed | accepted
        """,
        """
        落榜 挂科 挂了 落选 | fail | failed | rejected | flunked
        """,
    ),
    "contest": ("赢 赢了 获胜 | win | won", "输 输了 落败 | lose | lost"),
    "reply": (
        "接受 接受了 答应 答应了 | accept | accepted",
        """
        拒绝 拒绝了 谢绝 | reject | refuse | refused | decline | declined | turned down
        """,
    ),
    "sex": ("男的 男性 男生 男孩 | male | boy | man", "女的 女性 女生 女孩 | female | girl | woman"),
    "optimism": ("乐观 积极 | optimistic | optimist", "悲观 消极 | pessimistic | pessimist"),
    "care": ("细心 仔细 谨慎 | careful | cautious", "粗心 马虎 大意 | careless | reckless"),
    "patience": ("有耐心 耐心 | patient", "急躁 急性子 | impatient | hot-tempered"),
    "confidence": ("自信 | confident | self-assured", "自卑 | insecure | self-conscious"),
    "courage": ("勇敢 大胆 胆子大 | brave | bold", "胆小 胆子小 怯懦 | cowardly | timid"),
    "diligence": ("勤奋 勤快 努力 | hardworking | hard-working | diligent", "懒 懒惰 懒散 | lazy"),
    "thrift": (
        "节俭 省钱 | frugal | thrifty | saver",
        """
        大手大脚 浪费 | wasteful | spendthrift | extravagant
        """,
    ),
    "honesty": ("诚实 老实 | honest | truthful", "撒谎 爱撒谎 虚伪 | dishonest | liar"),
    "sugar": ("甜的 加糖 | with sugar | sweetened", "无糖 苦的 | without sugar | unsweetened | sugar-free"),
    "milk": ("加奶 | with milk", "黑咖啡 | without milk | black"),
    "frequency": (
        """
        经常 常常 总是 老是 | often | frequently | always | constantly
        """,
        """
        很少 极少 几乎不 偶尔 | rarely | seldom | hardly ever | almost never | hardly
        """,
    ),
    "hair": ("长发 长头发 | long hair", "短发 短头发 光头 | short hair | bald"),
    "curl": ("卷发 | curly hair | curly", "直发 | straight hair | straight"),
    "renting": (
        "租房 租房住 租的 | rent | renting",
        """
        自己买的房 买房了 买的房 买的 | own a house | homeowner | owns
        """,
    ),
    "faith": ("信教 有宗教信仰 信佛 | religious | believer", "无神论者 | atheist"),
    "company": (
        """
        独居 一个人住 自己住 | live alone | lives alone | living alone
        """,
        """
        合租 和室友住 | live with roommates | lives with roommates | with a roommate | with roommates
        """,
    ),
    "side": ("左边 左侧 左手 左 | left", "右边 右侧 右手 右 | right"),
    "height": ("楼上 | upstairs | upper | top", "楼下 | downstairs | lower | bottom"),
    "hope": (
        """
        戒了 戒掉 放弃 放弃了 停止 | quit | stopped | gave up | stop
        """,
        """
        继续 坚持 | continue | keep | continued | carry on
        """,
    ),
    "fright": ("怕 害怕 恐惧 | afraid of | scared of | fear | frightened of | terrified of", "| unafraid of"),
    "direction": (
        """
        增加 上涨 涨了 变胖 长胖 长胖了 | increase | increased | gained | rose | went up
        """,
        """
        减少 下降 降了 变瘦 瘦了 | decrease | decreased | fell | went down | dropped
        """,
    ),
    "success": ("成功 成功了 | succeed | succeeded | successful", "失败 失败了 | unsuccessful"),
    "memory": ("记得 | remember", "忘了 忘记 忘记了 | forget | forgot"),
    "possibility": ("合格 | possible", "| impossible"),
    "skill": ("擅长 拿手 精通 | good at | great at | skilled at", "差劲 | bad at | terrible at | poor at"),
    "arrival": ("到了 来了 留下 | arrive | stay | stayed", "离开 离开了 走了 | leave | left the | moved out"),
    "hearing": ("干燥 | dry", "潮湿 | wet | humid | damp"),
    "weather": ("晴天 | sunny", "阴天 | cloudy | overcast"),
    "thickness": ("厚 | thick", "薄 | thin slice"),
    "emptiness": ("满 | full", "空 | empty"),
    "strength": ("强 强壮 | strong", "弱 | weak"),
    "softness": ("软 | soft", "硬 | firm"),
}
IMPRESSIONS = frozenset(
    """
        price noise difficulty interest strictness kindness quality leisure size distance speed light
        mood build stature order warmth frequency care patience strength weather
        """.split()
)
"""What one finds so today and otherwise tomorrow."""
CHANGING_GROUPS = frozenset({"hour of sleep", "sleep"})


def _sides() -> dict[str, Side]:
    found: dict[str, Side] = {}
    for about, sides in _OPPOSITES.items():
        for place, block in enumerate(sides):
            for entry in lines(block):
                words = entry.split() if not entry.isascii() else [entry]
                found |= dict.fromkeys(words, Side(about, place))
    return found


SIDES = _sides()
"""Word or phrase -> its side."""
STEMMED_SIDES = {stem(word): side for word, side in SIDES.items() if word.isascii() and word.isalpha()}
