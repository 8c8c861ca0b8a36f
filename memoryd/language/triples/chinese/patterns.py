"""The cores of Chinese clauses: a verb and what it is about, the most particular first."""

from __future__ import annotations

import re

from memoryd.language.triples.chinese import actions as says
from memoryd.language.triples.chinese import words
from memoryd.language.triples.clause_rules import Said, core
from memoryd.language.triples.degrees import ZH_MOST as DEGREE

_O = r"(?P<o>[^，,]{1,30})"
_NAMES = (
    r"(?![了他她它你我醒人车过来好])"
    r"(?:[\u4e00-\u9fff]{1,4}|[\u4e00-\u9fff]{1,6}·[\u4e00-\u9fff]{1,6}|[A-Za-z][A-Za-z. ]{0,20})"
)
_C = words.COUNT
CORES = (
    core(rf"的?生日(?:就?是|在|：)(?:每年的?)?{_O}", says.birthday),
    core(r"(?:是)?(?:在)?(?P<o>[^，,]{2,14}?)出生的?", says.born),
    core(r"是?(?P<o>[0-9一二三四五六七八九十〇零年月日号]{3,12})生的?", says.birthday),
    core(rf"(?:[0-9]{{4}}年)?出生(?:于|在|地是){_O}", says.born),
    core(rf"生于{_O}", says.born),
    core(
        r"的?(?:全名|名字|大名|本名|姓名)?(?:就?叫做?|名叫|的?名字(?:就?是|叫)|姓名是"
        rf"|全名是|大名叫)(?P<o>{_NAMES})",
        says.named,
    ),
    core(rf"的?(?:名字|全名|姓名)(?:是|叫)(?P<o>{_NAMES})", says.named),
    core(rf"的?(?:小名|昵称|外号|绰号|网名)(?:就?是|叫)(?P<o>{_NAMES})", says.one_object("nickname")),
    core(
        r"(?:今年|的?年龄是?|已经|刚满|满)?(?P<o>[0-9]{1,3}|[一二三四五六七八九十]{1,4})(?:周?岁|岁半)了?",
        says.one_object("age"),
    ),
    core(
        r"的?身高(?:是|有|大概)?(?P<o>[0-9一二三四五六七八九十米点.]{1,8}(?:厘米|公分"
        r"|cm|米[0-9一二三四五六七八九]{0,2})?)",
        says.one_object("height"),
    ),
    core(
        r"的?体重(?:是|有)?(?P<o>[0-9一二三四五六七八九十百.]{1,6}(?:公斤|斤|千克|kg))",
        says.one_object("weight"),
    ),
    core(r"(?P<o>[^，,对会不]{1,6}?)(?P<degree>严重)?过敏", says.objects("allergic_to")),
    core(
        r"(?:对)(?P<o>[^，,]{1,15}?)不(?:会)?过敏",
        lambda m, n: (Said("allergic_to", one, not n) for one in says.split_objects(m["o"])),
    ),
    core(r"(?:对)(?P<o>[^，,]{1,15}?)(?:(?P<degree>严重|有点|轻微)|都)?过敏", says.objects("allergic_to")),
    core(r"(?:和|跟|与|同)(?P<o>[^，,]{1,15}?)(?:一起|同|合)?(?:居住|住)(?:在一起|一起)?", says.lives_with),
    core(rf"(?:定居|居住|常住|家住|住|家)(?:在|于){_O}", says.place("lives_in")),
    core(
        r"(?:已经)?(?:搬|搬家)(?:到|去|来)了?(?P<o>[^，,]{1,15}?)(?:住|生活|定居)?了?",
        says.place("lives_in"),
        event=True,
    ),
    core(r"(?:来自(?P<o>[^，,]{1,12})|是?从(?P<p>[^，,]{1,12})来的)", says.place("comes_from")),
    core(rf"的?(?:老家|家乡|籍贯|故乡)(?:就?是|在){_O}", says.place("comes_from")),
    core(r"(?:是)?在(?P<o>[^，,]{1,12})长大的?", says.place("comes_from")),
    core(r"(?:是)?(?:从|于)(?P<o>[^，,]{2,15})毕业的?", says.place("graduated_from"), event=True),
    core(r"毕业于(?P<o>[^，,]{2,15})", says.place("graduated_from"), event=True),
    core(r"在(?P<o>[^，,]{1,15}?)(?:工作|上班|任职|就职|供职)", says.place("works_at")),
    core(r"就职于(?P<o>[^，,]{1,15})", says.place("works_at")),
    core(rf"在(?P<place>[^，,]{{1,15}}?)(?P<verb>当|做|任|担任|教){_O}", says.job_at),
    core(
        r"(?:是)?(?:当|做|担任|从事)(?P<o>[^，,]{1,15}?)(?:工作|职业)?的?",
        lambda m, n: (
            Said("works_as", one, n) for one in says.split_objects(m["o"]) if words.JOB.search(one)
        ),
    ),
    core(rf"的?(?:职业|工作)是{_O}", says.one_object("works_as")),
    core(
        r"在(?P<o>[^，,]{1,15}?)(?:读|念|上)(?:书|学|大学|本科|研究生|研|博|博士|硕士"
        r"|高中|初中|小学)?(?:大?[一二三四]|[高初][一二三])?",
        says.place("studies_at"),
    ),
    core(r"是?学(?P<o>[^，,会到]{1,8}?)(?:专业)?的", says.objects("studies")),
    core(r"就读于(?P<o>[^，,]{1,15})", says.place("studies_at")),
    core(rf"(?:学的?专业是|学的是|的?专业是|主修|在?攻读|读的是){_O}", says.objects("studies")),
    core(r"(?:在)?(?:自学|学习|学)(?P<o>(?![过了着])[^，,会到]{1,12})", says.objects("studies")),
    core(
        rf"(?:会|能)?(?:说|讲)(?P<o>(?:流利的|一点儿?|一些|一口|地道的){{0,3}}(?:{words.LANGUAGES}).{{0,12}})",
        says.speaks,
    ),
    core(
        rf"(?:会|懂|精通)(?:一点儿?|一些)?(?P<o>(?:{words.LANGUAGES})(?:[、和]?(?:{words.LANGUAGES}))*)",
        says.speaks,
    ),
    core(rf"(?:会|能|擅长|(?P<degree>很)会){_O}", says.can),
    core(
        rf"最?(?:喜欢|爱|钟爱)(?:吃|喝|看|听|玩|去|读)?的(?P<kind>[^，,是]{{1,5}})(?:就?是|：|叫){_O}",
        says.favorite,
    ),
    core(rf"最爱的(?P<kind>[^，,是]{{1,5}})(?:就?是){_O}", says.favorite),
    core(
        r"(?:更|宁可|宁愿|还是更)(?:喜欢|爱|偏爱|想)(?P<o>[^，,]{1,20}?)(?:而不是.*|胜过.*|多过.*)?",
        says.objects("prefers"),
    ),
    core(rf"(?:偏爱|偏好){_O}", says.objects("prefers")),
    core(
        rf"(?P<degree>{DEGREE}*)(?:喜欢|喜爱|热爱|爱(?!人)|爱好是?|爱上了|酷爱|迷上了"
        rf"|钟爱|热衷于|的?爱好是){_O}",
        says.objects("likes"),
    ),
    core(rf"(?P<degree>{DEGREE}*)(?:讨厌|厌恶|反感|受不了|烦|憎恨|痛恨){_O}", says.one_object("dislikes")),
    core(rf"(?P<degree>{DEGREE}*)(?:害怕|恐惧|怕){_O}", says.one_object("fears")),
    core(r"有(?P<o>恐高症|幽闭恐惧症|密集恐惧症)", says.one_object("suffers_from")),
    core(
        rf"(?:患有|得了|患了|得过|查出了?){_O}",
        lambda m, n: (
            Said("suffers_from", one, n) for one in says.split_objects(m["o"]) if words.ILLNESS.search(one)
        ),
    ),
    core(r"(?P<degree>有点|轻度|高度)?(?P<o>近视|贫血|色盲|失眠|夜盲)", says.one_object("suffers_from")),
    core(r"(?P<o>单身|已婚|未婚|离异|离婚|丧偶|结婚|结了婚|成家|离了婚)了?", says.status),
    core(
        rf"(?:家里?)?(?:养|领养|收养)了?{_C}?(?:叫做?|名叫)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}}?)的(?P<kind>[^，,]{{1,10}})",
        says.pet,
    ),
    core(
        rf"(?:家里?)?(?:养|领养|收养)了?{_C}?(?P<kind>[^，,]{{1,10}}?)(?:名字)?(?:叫做?"
        rf"|名叫)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}})",
        says.pet,
    ),
    core(r"(?:家里?)?(?:还)?(?:养|领养|收养)(?:了|着|有)?(?P<kind>[^，,]{1,10})", says.pet),
    core(
        rf"(?:家里?)?有{_C}(?:叫做?|名叫)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}}?)的(?P<kind>{words.PET})",
        says.pet,
    ),
    core(
        rf"(?:家里?)?有{_C}(?P<kind>{words.PET})(?:名字)?(?:叫做?|名叫)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}})",
        says.pet,
    ),
    core(rf"(?:家里?)?有{_C}(?P<kind>{words.PET})", says.pet),
    core(
        rf"(?:家)?的?(?P<kind>{words.PET})(?:的?名字)?(?:叫做?|名叫|的名字是|名字是)(?P<name>[\u4e00-\u9fffA-Za-z]{{1,8}})",
        says.pet,
    ),
    core(rf"(?:患)?有(?P<count>{_C})?{_O}", says.has),
    core(rf"(?:买|拥有)(?:了)?(?P<count>{_C}){_O}", says.has),
    core(rf"是(?P<count>{_C})?{_O}", says.is_what),
    core(r"(?:吃)(?!了)(?P<o>[^，,了]{1,15})", says.objects("eats"), habit=True),
    core(r"(?:喝)(?!了)(?P<o>[^，,了]{1,15})", says.objects("drinks"), habit=True),
    core(
        r"(?P<o>(?:打(?!算|扫|电话|车|工|针|折|包|卡|牌子)|踢|弹|拉(?!屎)|吹|玩)[^，,了]{1,10})",
        lambda m, n: (Said("plays", one, n) for one in says.split_objects(re.sub(r"^(.)\1?", "", m["o"]))),
        habit=True,
    ),
    core(r"(?:都)?(?:会|要|去)?(?:喝)(?P<o>[^，,了]{1,15})", says.objects("drinks"), habit=True),
    core(r"(?:都)?(?:会|要|去)?(?:吃)(?P<o>[^，,了]{1,15})", says.objects("eats"), habit=True),
    core(r"(?:都)?(?:会|要|去)(?:打|踢|弹|拉|玩)(?P<o>[^，,了]{1,10})", says.objects("plays"), habit=True),
    core(rf"(?:都|会|要|都会|都要)?{_O}", says.does, habit=True),
)
