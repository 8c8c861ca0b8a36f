"""Events that may happen again do not contradict each other by numbers and dates; states do."""

from __future__ import annotations

import pytest

from memoryd.language.conflicts.detector import detect_conflict
from memoryd.language.conflicts.types import DatedText, DetectedConflict

EVENTS = [
    ("主人3点吃药", "主人8点吃药"),
    ("主人2024年去了日本", "主人2025年去了日本"),
    ("主人看了3部电影", "主人看了5部电影"),
    ("主人在北京有一套房", "主人在上海有一套房"),
    ("主人5月3日见了小王", "主人5月10日见了小王"),
    ("主人周一开会", "主人周三开会"),
    ("我买了2本书", "我买了5本书"),
    ("主人早上7点喝了咖啡", "主人下午2点喝了咖啡"),
    ("主人跑了5公里", "主人跑了8公里"),
    ("主人周二去健身房", "主人周四去健身房"),
    ("主人4月1日打了疫苗", "主人10月1日打了疫苗"),
    ("主人在杭州开过一家店", "主人在苏州开过一家店"),
    ("主人下午3点有个会", "主人下午5点有个会"),
    ("主人3月体检过", "主人9月体检过"),
    ("主人的妈妈2019年去过泰国", "主人的妈妈2023年去过泰国"),
    ("主人花了200元买菜", "主人花了300元买菜"),
    ("主人周一有课", "主人周四有课"),
    ("主人给小红打了两次电话", "主人给小红打了四次电话"),
    ("主人2023年3月做了胃镜", "主人2024年3月做了胃镜"),
    ("小明2020年来过北京", "小明2022年来过北京"),
    ("主人住院3天", "主人住院5天"),
    ("主人借给小王1000元", "主人借给小王3000元"),
    ("主人在上海买了房", "主人在北京买了房"),
    ("I went to Japan in 2023.", "I went to Japan in 2024."),
    ("I bought 2 apples.", "I bought 3 apples."),
    ("I have a meeting at 3pm.", "I have a meeting at 5pm."),
    ("I take my pills at 8 am.", "I take my pills at 8 pm."),
    ("I met Anna on May 3.", "I met Anna on May 10."),
    ("I watched 3 movies.", "I watched 5 movies."),
    ("The user ran 5 km.", "The user ran 8 km."),
    ("I visited Rome in 2018.", "I visited Rome in 2022."),
    ("The user flew to Berlin on March 3.", "The user flew to Berlin on April 9."),
    ("I have a class on Monday.", "I have a class on Wednesday."),
    ("I own a flat in Leeds.", "I own a flat in Bristol."),
    ("I spent 50 dollars at the market.", "I spent 80 dollars at the market."),
    ("My sister called me at 9:00.", "My sister called me at 18:00."),
    ("I worked out on Tuesday.", "I worked out on Friday."),
    ("I borrowed 3 books from the library.", "I borrowed 5 books from the library."),
    ("I've been to Paris three times.", "I've been to Paris five times."),
    ("We had dinner at 6 pm.", "We had dinner at 8 pm."),
    ("I saw the dentist in March.", "I saw the dentist in September."),
    ("My wife and I went to Spain in 2019.", "My wife and I went to Spain in 2021."),
    ("I had a headache on Tuesday.", "I had a headache on Thursday."),
    ("Last night I slept 5 hours.", "Last night I slept 7 hours."),
    ("The user was in Paris in 2012.", "The user was in Paris in 2016."),
]
STATES = [
    ("主人的生日是6月7日", "主人的生日是6月17日", "exclusive", "high"),
    ("主人的预约是周三下午2点", "主人的预约是周三下午4点", "date", "medium"),
    ("主人的婚礼在5月20日", "主人的婚礼在5月21日", "date", "medium"),
    ("主人的护照2027年到期", "主人的护照2029年到期", "date", "medium"),
    ("主人有两个弟弟", "主人有三个弟弟", "number", "high"),
    ("主人的房租是3000元", "主人的房租是3500元", "number", "medium"),
    ("主人养了两条狗", "主人养了三条狗", "number", "medium"),
    ("主人2018年结婚", "主人2019年结婚", "date", "medium"),
    ("主人的手术在8点", "主人的手术在10点", "date", "high"),
    ("主人的电脑花了5000元", "主人的电脑花了8000元", "number", "medium"),
    ("主人2012年大学毕业", "主人2013年大学毕业", "date", "medium"),
    ("主人一天吃两片药", "主人一天吃三片药", "number", "high"),
    ("主人是2015年去的日本", "主人是2017年去的日本", "date", "medium"),
    ("主人身高170厘米", "主人身高175厘米", "number", "medium"),
    ("主人2015年买了这套房子", "主人2017年买了这套房子", "date", "medium"),
    ("主人学了3年钢琴", "主人学了5年钢琴", "number", "medium"),
    ("主人的飞机8点到北京", "主人的飞机9点到北京", "date", "medium"),
    ("I met my wife in 2010.", "I met my wife in 2012.", "date", "medium"),
    ("The interview takes place on May 4.", "The interview takes place on May 6.", "date", "medium"),
    ("My call with Bob is at 3 pm.", "My call with Bob is at 4 pm.", "date", "medium"),
    ("主人预约了周三下午3点看牙", "主人预约了周三下午4点看牙", "date", "medium"),
    ("主人的体检在周三", "主人的体检在周四", "date", "medium"),
    ("I have worked at Google for 3 years.", "I have worked at Google for 6 years.", "number", "medium"),
    ("My appointment with Dr. Lee is at 3 pm.", "My appointment with Dr. Lee is at 4 pm.", "date", "medium"),
    ("The train leaves at 9:10.", "The train leaves at 9:40.", "date", "medium"),
    ("The user has two brothers.", "The user has three brothers.", "number", "high"),
    ("My laptop cost 900 dollars.", "My laptop cost 1200 dollars.", "number", "medium"),
    ("I was born in 1988.", "I was born in 1989.", "exclusive", "high"),
    ("My son is 110 cm tall.", "My son is 120 cm tall.", "number", "medium"),
    ("The exam is on June 7.", "The exam is on June 8.", "date", "medium"),
    ("My flat has 3 rooms.", "My flat has 4 rooms.", "number", "medium"),
    ("I have 4 cats.", "I have 5 cats.", "number", "medium"),
    ("I got married in 2010.", "I got married in 2011.", "date", "medium"),
    ("My grandmother died in 2012.", "My grandmother died in 2014.", "date", "medium"),
    ("I drink 2 cups of coffee a day.", "I drink 4 cups of coffee a day.", "number", "medium"),
    ("The deadline is on Friday.", "The deadline is on Monday.", "date", "medium"),
    ("I bought my house in 2015.", "I bought my house in 2017.", "date", "medium"),
]


def detect(a: str, b: str) -> DetectedConflict | None:
    return detect_conflict(DatedText(a), DatedText(b))


@pytest.mark.parametrize(("a", "b"), EVENTS)
def test_recurring_events(a: str, b: str) -> None:
    assert detect(a, b) is None
    assert detect(b, a) is None


@pytest.mark.parametrize(("a", "b", "type", "severity"), STATES)
def test_states(a: str, b: str, type: str, severity: str) -> None:
    for found in (detect(a, b), detect(b, a)):
        assert found is not None
        assert (found.type, found.severity) == (type, severity)
