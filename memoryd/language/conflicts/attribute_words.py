"""The words attributes are put into, as alternatives for patterns over folded text."""

from __future__ import annotations

from memoryd.language.conflicts.words import lines
from memoryd.language.fold import UNSPACED


def _either(block: str) -> str:
    """Entries of a block as alternatives."""
    return "|".join(lines(block))


HAN = f"[{UNSPACED}]"
WHO = r"^(?P<who>.*?)(?:现在|目前|如今|最近|已经|一直|刚|还|也|都|就|currently |now |still |recently |just )*"
"""Whose attribute it is, at the beginning of a clause."""
SPOUSE = _either("妻子 老婆 太太 媳妇 爱人 丈夫 老公 先生 未婚夫 未婚妻")
ONE_KIN = f"{SPOUSE}|" + _either("妈妈 母亲 爸爸 父亲 爷爷 奶奶 外公 外婆 姥姥 姥爷")
ONE_OTHER = _either("女朋友 男朋友 女友 男友 老板 上司 领导 班主任 导师 主管 经理")
ONE_KIN_EN = _either("wife husband spouse fiance fiancee partner mother mom mum father dad")
ONE_OTHER_EN = _either(
    """girlfriend|boyfriend|boss|manager|supervisor|advisor|adviser|landlord|landlady|best friend
    |homeroom teacher"""
)
"""Of these people one has one."""
KIN_EN = _either(
    """mother mom mum father dad sister brother son daughter wife husband grandmother grandfather grandma
    grandpa girlfriend boyfriend friend cousin aunt uncle dog cat"""
)
JOBS = _either(
    """
    医生 护士 老师 教师 教授 律师 会计 会计师 工程师 程序员 设计师 司机 警察 消防员 厨师 记者 编辑 作家
    演员 歌手 画家
    经理 产品经理 项目经理 销售 秘书 翻译 导游 空姐 飞行员 公务员 军人 农民 工人 学生 大学生 研究生 高中生
    店长 老板
    快递员 外卖员 保安 理发师 摄影师 建筑师 药剂师 牙医 兽医 咨询师 分析师 科学家 研究员 图书管理员 主播
    模特 教练 裁缝
    木匠 电工 服务员 收银员 运营 产品 前端 测试 顾问 法官 社工 文员 客服 博主 自由职业者 策划 出纳 审计师
    审计 护理员
    幼师 音乐家 钢琴家
    """
)
JOBS_EN = _either(
    """
    doctor nurse teacher professor lawyer accountant engineer programmer developer designer driver officer
    firefighter chef cook journalist editor writer author actor actress singer painter manager salesperson
    salesman secretary translator interpreter guide pilot soldier farmer worker student clerk barista waiter
    waitress hairdresser photographer architect pharmacist dentist vet veterinarian psychologist therapist
    counselor counsellor analyst scientist researcher librarian model coach trainer tailor carpenter
    electrician plumber cashier tester consultant judge baker butcher banker broker realtor paramedic surgeon
    physiotherapist chemist biologist physicist economist historian musician pianist dancer director producer
    reporter receptionist assistant technician mechanic attorney cop detective gardener florist bartender
    tutor lecturer midwife optician builder welder recruiter administrator freelancer paralegal auditor
    copywriter illustrator animator janitor
    """
)
SIGNS = _either("白羊 牡羊 金牛 双子 巨蟹 狮子 处女 天秤 天蝎 射手 人马 摩羯 魔羯 水瓶 双鱼")
SIGNS_EN = _either("aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn aquarius pisces")
FAVOURITES_EN = _either(
    """color|colour|food|drink|fruit|movie|film|book|song|singer|band|sport|season|animal|game|city|dish
    |subject|author|writer|artist|restaurant|flower|number|team|actor|actress|teacher|cuisine|holiday|show
    |ice cream flavor|flavor|flavour|dessert|place|country|day|month|tv show|novel|poet|composer|director
    |genre"""
)
KEPT_ZH = _either(
    """手机号码 手机号 电话号码 电话 邮箱 密码 微信号 微信 车牌号 车牌 学号 部门 公司 品种 宗教 信仰
    尺码 鞋码
    最高学历 学历 性别 民族 眼睛颜色 发色 mbti 班级 学校 母校"""
)
KEPT_EN = _either(
    """phone number|email|email address|password|wifi password|department|employer|religion|shoe size
    |eye color|hair color|gender|ethnicity|license plate|middle name|surname|first name|maiden name
    |breed|alma mater|degree|team|username|mbti type"""
)
"""What one has one of, though no rule knows more of it."""
PLACE_END = _either(
    """里 上 下 旁 边 楼 路 街 市 省 县 区 国 镇 村 店 馆 院 校 公司 家 室 房 园 厅 站 抽屉 柜 桌 城 州 岛
    中心 广场 机场
    酒店 学校 医院 车库 冰箱"""
)
MONTHS_EN = _either("january february march april may june july august september october november december")
