"""Where well-known places lie, so that a city is no other place than its country, nor than itself in another
language. Names that are not here are places like any other, only unknown in what they lie."""

from __future__ import annotations

# `|` between the names of one place, `_` for a space
_COUNTRIES = {
    "china|中国": """
        beijing|北京 shanghai|上海 tianjin|天津 chongqing|重庆 guangdong|广东 shenzhen|深圳
        guangzhou|广州 hangzhou|杭州 zhejiang|浙江 nanjing|南京 suzhou|苏州 wuxi|无锡 jiangsu|江苏
        chengdu|成都 sichuan|四川 wuhan|武汉 hubei|湖北 changsha|长沙 hunan|湖南 xi'an|xian|西安
        shaanxi|陕西 qingdao|青岛 jinan|济南 shandong|山东 dalian|大连 shenyang|沈阳 liaoning|辽宁
        harbin|哈尔滨 heilongjiang|黑龙江 changchun|长春 jilin|吉林 xiamen|厦门 fuzhou|福州 fujian|福建
        quanzhou|泉州 ningbo|宁波 wenzhou|温州 hefei|合肥 anhui|安徽 zhengzhou|郑州 luoyang|洛阳
        henan|河南 hebei|河北 shijiazhuang|石家庄 taiyuan|太原 shanxi|山西 kunming|昆明 dali|大理
        lijiang|丽江 yunnan|云南 guiyang|贵阳 guizhou|贵州 nanning|南宁 guilin|桂林 guangxi|广西
        haikou|海口 sanya|三亚 hainan|海南 lanzhou|兰州 gansu|甘肃 xining|西宁 qinghai|青海
        yinchuan|银川 ningxia|宁夏 urumqi|乌鲁木齐 xinjiang|新疆 lhasa|拉萨 tibet|西藏 hohhot|呼和浩特
        inner_mongolia|内蒙古 nanchang|南昌 jiangxi|江西 dongguan|东莞 foshan|佛山 zhuhai|珠海
        hong_kong|香港 macau|macao|澳门 yantai|烟台 weihai|威海 northeast_china|东北
        """,
    "taiwan|台湾": "taipei|台北 kaohsiung|高雄 taichung|台中",
    "japan|日本": """
        tokyo|东京 osaka|大阪 kyoto|京都 nagoya|名古屋 sapporo|札幌 yokohama|横滨 fukuoka|福冈
        hokkaido|北海道 kobe|神户
        """,
    "korea|south_korea|韩国": "seoul|首尔 busan|釜山 incheon|仁川",
    "singapore|新加坡": "",
    "thailand|泰国": "bangkok|曼谷 chiang_mai|清迈 phuket|普吉",
    "vietnam|越南": "hanoi|河内 ho_chi_minh_city|saigon|胡志明市",
    "malaysia|马来西亚": "kuala_lumpur|吉隆坡 penang|槟城",
    "indonesia|印度尼西亚|印尼": "jakarta|雅加达 bali|巴厘岛",
    "philippines|菲律宾": "manila|马尼拉",
    "india|印度": """
        mumbai|bombay|孟买 delhi|new_delhi|德里|新德里 bangalore|bengaluru|班加罗尔 chennai kolkata
        hyderabad pune
        """,
    "usa|us|united_states|america|the_states|美国": """
        new_york|nyc|纽约 brooklyn manhattan california|加州|加利福尼亚 los_angeles|la|洛杉矶
        san_francisco|旧金山 san_diego san_jose|圣何塞 seattle|西雅图 washington|华盛顿 boston|波士顿
        chicago|芝加哥 texas|得州 austin houston|休斯顿 dallas denver|丹佛 portland|波特兰 miami|迈阿密
        florida|佛罗里达 atlanta|亚特兰大 philadelphia|费城 phoenix detroit|底特律 minneapolis ohio
        cleveland columbus nashville tennessee new_orleans louisiana las_vegas|拉斯维加斯 nevada
        hawaii|夏威夷 honolulu colorado arizona oregon michigan illinois massachusetts pittsburgh
        baltimore charlotte salt_lake_city utah kansas kansas_city st._louis
        """,
    "canada|加拿大": """
        toronto|多伦多 vancouver|温哥华 montreal|蒙特利尔 ottawa|渥太华 calgary|卡尔加里 quebec edmonton
        winnipeg halifax
        """,
    "mexico|墨西哥": "mexico_city guadalajara cancun",
    "brazil|巴西": "sao_paulo|圣保罗 rio_de_janeiro|rio|里约热内卢",
    "argentina|阿根廷": "buenos_aires|布宜诺斯艾利斯",
    "uk|united_kingdom|britain|great_britain|英国": """
        england|英格兰 london|伦敦 manchester|曼彻斯特 leeds|利兹 liverpool|利物浦 bristol
        birmingham|伯明翰 oxford|牛津 cambridge|剑桥 york brighton sheffield newcastle nottingham
        cardiff wales scotland|苏格兰 edinburgh|爱丁堡 glasgow|格拉斯哥 aberdeen belfast
        northern_ireland
        """,
    "ireland|爱尔兰": "dublin|都柏林 cork galway",
    "france|法国": "paris|巴黎 lyon|里昂 marseille|马赛 bordeaux toulouse lille",
    "germany|德国": """
        berlin|柏林 munich|慕尼黑 hamburg|汉堡 frankfurt|法兰克福 cologne|科隆 stuttgart leipzig dresden
        bavaria
        """,
    "austria|奥地利": "vienna|维也纳 salzburg|萨尔茨堡 graz innsbruck",
    "switzerland|瑞士": "zurich|苏黎世 geneva|日内瓦 basel bern lausanne",
    "italy|意大利": """
        rome|罗马 milan|米兰 naples|那不勒斯 florence|佛罗伦萨 venice|威尼斯 turin bologna sicily
        """,
    "spain|西班牙": "madrid|马德里 barcelona|巴塞罗那 valencia seville malaga bilbao",
    "portugal|葡萄牙": "lisbon|里斯本 porto|波尔图",
    "netherlands|the_netherlands|holland|荷兰": """
        amsterdam|阿姆斯特丹 rotterdam|鹿特丹 the_hague|hague|海牙 utrecht delft
        """,
    "belgium|比利时": "brussels|布鲁塞尔 antwerp ghent",
    "denmark|丹麦": "copenhagen|哥本哈根 aarhus",
    "sweden|瑞典": "stockholm|斯德哥尔摩 gothenburg malmo uppsala",
    "norway|挪威": "oslo|奥斯陆 bergen|卑尔根 trondheim",
    "finland|芬兰": "helsinki|赫尔辛基 tampere turku",
    "iceland|冰岛": "reykjavik|雷克雅未克",
    "poland|波兰": "warsaw|华沙 krakow|克拉科夫 gdansk",
    "czech_republic|czechia|捷克": "prague|布拉格 brno",
    "hungary|匈牙利": "budapest|布达佩斯",
    "greece|希腊": "athens|雅典 thessaloniki",
    "turkey|土耳其": "istanbul|伊斯坦布尔 ankara|安卡拉",
    "russia|俄罗斯": "moscow|莫斯科 st_petersburg|saint_petersburg|圣彼得堡",
    "ukraine|乌克兰": "kyiv|kiev|基辅 lviv",
    "egypt|埃及": "cairo|开罗",
    "south_africa|南非": "cape_town|开普敦 johannesburg durban",
    "kenya|肯尼亚": "nairobi|内罗毕",
    "nigeria|尼日利亚": "lagos",
    "morocco|摩洛哥": "marrakesh casablanca",
    "uae|united_arab_emirates|阿联酋": "dubai|迪拜 abu_dhabi|阿布扎比",
    "israel|以色列": "tel_aviv|特拉维夫 jerusalem|耶路撒冷",
    "australia|澳大利亚|澳洲": """
        sydney|悉尼 melbourne|墨尔本 brisbane|布里斯班 perth|珀斯 adelaide canberra|堪培拉
        """,
    "new_zealand|新西兰": "auckland|奥克兰 wellington|惠灵顿 christchurch queenstown",
}
_REGIONS = {
    "广东": "深圳 广州 东莞 佛山 珠海",
    "浙江": "杭州 宁波 温州",
    "江苏": "南京 苏州 无锡",
    "四川": "成都",
    "湖北": "武汉",
    "湖南": "长沙",
    "陕西": "西安",
    "山东": "青岛 济南 烟台 威海",
    "东北": "大连 沈阳 辽宁 哈尔滨 黑龙江 长春 吉林",
    "辽宁": "大连 沈阳",
    "黑龙江": "哈尔滨",
    "吉林": "长春",
    "福建": "厦门 福州 泉州",
    "安徽": "合肥",
    "河南": "郑州 洛阳",
    "河北": "石家庄",
    "山西": "太原",
    "云南": "昆明 大理 丽江",
    "贵州": "贵阳",
    "广西": "南宁 桂林",
    "海南": "海口 三亚",
    "甘肃": "兰州",
    "新疆": "乌鲁木齐",
    "西藏": "拉萨",
    "江西": "南昌",
    "california": "los_angeles san_francisco san_diego san_jose",
    "england": """
        london manchester leeds liverpool bristol birmingham oxford cambridge york brighton sheffield
        """,
    "scotland": "edinburgh glasgow aberdeen",
    "texas": "austin houston dallas",
    "florida": "miami",
    "new_york": "brooklyn manhattan",
    "massachusetts": "boston",
    "illinois": "chicago",
    "colorado": "denver",
    "oregon": "portland",
    "hokkaido": "sapporo",
}


def _names(entry: str) -> list[str]:
    return entry.replace("_", " ").split("|")


def _enter(table: dict[str, str], known: dict[str, str], within: dict[str, set[str]]) -> None:
    for outer, block in table.items():
        around = _enter_one(outer, known)
        for entry in block.split():
            within.setdefault(_enter_one(entry, known), set()).add(around)


def _enter_one(entry: str, known: dict[str, str]) -> str:
    """The one name of a place, from now on known by all of its names."""
    names = _names(entry)
    place = next((known[name] for name in names if name in known), names[0])
    known.update(dict.fromkeys(names, place))
    return place


def _all() -> tuple[dict[str, str], dict[str, set[str]]]:
    known: dict[str, str] = {}
    within: dict[str, set[str]] = {}
    _enter(_COUNTRIES, known, within)
    _enter(_REGIONS, known, within)
    return known, within


PLACES, _AROUND = _all()
"""Name -> the one name of the place."""


def same_or_within(a: str, b: str) -> bool:
    """Whether two places known by their one names are one, or one lies in the other."""
    return a == b or a in _AROUND.get(b, ()) or b in _AROUND.get(a, ())
