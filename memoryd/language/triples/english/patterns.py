"""The cores of English clauses: a verb and what it is about, the most particular first."""

from __future__ import annotations

from memoryd.language.triples.clause_rules import core
from memoryd.language.triples.degrees import EN as DEGREE
from memoryd.language.triples.english import actions as says
from memoryd.language.triples.english import words

_O = r"(?P<o>.{1,80})"


_BE = r"(?:am|is|are)"
CORES = (
    core(rf"my (?:full |first |last )?name is(?P<not> not)? (?P<o>{words.NAME})", says.named),
    core(rf"my nickname is (?P<o>{words.NAME}|\w+)", says.one_object("nickname")),
    core(rf"{_BE} (?:called|named) (?P<o>{words.NAME})", says.named),
    core(rf"(?:goes|go) by (?P<o>{words.NAME}|[A-Z]\w+)", says.one_object("nickname")),
    core(
        r"(?:my|'s) (?:birthday|birth date|date of birth)(?: is| falls)(?: on)? (?P<o>.{3,30})",
        says.birthday,
    ),
    core(r"birthday is(?: on)? (?P<o>.{3,30})", says.birthday),
    core(r"(?:was|were) born (?:on|in) (?P<o>.{2,60})", says.born),
    core(
        r"(?:am|is|are) (?P<o>(?:one|two|three|four|five|six|seven|eight|nine|ten"
        r"|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)) "
        r"years? old",
        says.age,
    ),
    core(
        rf"{_BE} (?P<o>\d{{1,3}}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty"
        r"|ninety)(?:-\w+)?)(?: years? old| years of age)?",
        says.age,
    ),
    core(r"(?:just |recently )?turned (?P<o>\d{1,3})", says.age),
    core(
        r"(?:am|is) (?P<o>\d(?:\.\d+)? ?(?:m|meters|metres)|\d{2,3} ?cm|\d ?(?:feet"
        r"|foot|ft)(?: ?\d{1,2}(?: inches)?)?)(?: tall)?",
        says.one_object("height"),
    ),
    core(r"weighs? (?P<o>\d+(?:\.\d+)? ?(?:kg|kilos|kilograms|pounds|lbs))", says.one_object("weight")),
    core(rf"my favou?rite (?P<kind>[\w ]{{2,30}}?) (?:is|are) {_O}", says.favorite),
    core(
        rf"my (?P<kind>[\w ]{{2,25}}?)(?: is|'s name is)(?: named| called) (?P<o>{words.NAME})",
        says.pet_named,
    ),
    core(rf"my (?P<kind>[\w ]{{2,25}}?)'s name is (?P<o>{words.NAME})", says.pet_named),
    core(rf"my hobb(?:y|ies) (?:is|are) {_O}", says.liked("likes")),
    core(
        r"my (?:job|occupation|profession) is (?:being )?(?P<o>(?:an? |the )?[\w -]{2,40})",
        says.profession,
    ),
    core(rf"my (?:hometown|home town) is {_O}", says.place("comes_from")),
    core(rf"my major is {_O}", says.objects("studies")),
    core(rf"my (?:mother tongue|native language|first language) is (?P<o>{words.LANGUAGES})", says.speaks),
    core(
        rf"(?:can not stand|can not bear|hates?|dislikes?|detests?|loathes?|despises?|can not tolerate) {_O}",
        lambda m, _: says.liked("dislikes")(m, False),
    ),
    core(
        rf"{_BE} (?:(?P<degree>{DEGREE}) )?(?:not )?(?:afraid"
        rf"|scared|terrified|frightened) of {_O}",
        says.objects("fears"),
    ),
    core(rf"fears? {_O}", says.objects("fears")),
    core(
        rf"{_BE}(?P<not> not)? (?:(?P<degree>{DEGREE}) )?allergic to {_O}",
        says.objects("allergic_to"),
    ),
    core(rf"ha(?:ve|s) an? (?:\w+ )?allergy to {_O}", says.objects("allergic_to")),
    core(
        r"ha(?:ve|s) an? (?:(?P<degree>severe|mild|bad|serious) )?(?P<o>\w+) allergy",
        says.objects("allergic_to"),
    ),
    core(rf"suffers? from {_O}", says.objects("suffers_from")),
    core(rf"(?:was|has been|have been) diagnosed with {_O}", says.objects("suffers_from")),
    core(
        rf"{_BE} (?:(?P<degree>{DEGREE}) )?(?:fond of|into|keen on|fan of|crazy "
        rf"about|passionate about) {_O}",
        says.liked("likes"),
    ),
    core(rf"would rather {_O}", says.prefers),
    core(rf"prefers? {_O}", says.prefers),
    core(rf"(?:(?P<degree>really) )?(?:loves?|likes?|enjoys?|adores?) {_O}", says.liked("likes")),
    core(rf"{_BE} originally from {_O}", says.place("comes_from")),
    core(rf"(?:comes?|came|{_BE}|hails?) (?:originally )?from {_O}", says.place("comes_from")),
    core(rf"grew up in {_O}", says.place("comes_from")),
    core(rf"(?:lives?|{_BE} living|resides?|{_BE} based) with {_O}", says.lives_with),
    core(
        rf"(?:lives?|{_BE} living|resides?|{_BE} based|{_BE} located) in (?P<o>.{{2,60}}?)(?: "
        r"(?:with|near|for) .*)?",
        says.place("lives_in"),
    ),
    core(
        r"(?:have |has )?(?:just |recently )?(?:moved|relocated) (?:back )?to (?P<o>[^,]{2,50}?)(?: "
        r"from .*| (?:with|for|because) .*)?",
        says.place("lives_in"),
    ),
    core(rf"(?:works?|{_BE} (?:working|employed)) as {_O}", says.works),
    core(
        rf"(?:works?|{_BE} (?:working|employed)) (?:at|for) (?P<place>.{{1,60}}?)(?: as (?P<o>an? .+))?",
        says.works_at,
    ),
    core(
        rf"(?:stud(?:y|ies)|{_BE} studying|majors? in|{_BE} majoring in) at {_O}",
        says.named_place("studies_at"),
    ),
    core(
        r"(?:goes|go) to (?P<o>[A-Z].*(?:University|College|School|Institute))",
        says.named_place("studies_at"),
    ),
    core(
        rf"(?:stud(?:y|ies)|{_BE} studying|majors? in|{_BE} majoring in|{_BE} learning|learns?) {_O}",
        says.study,
    ),
    core(
        r"graduated from (?P<o>.{2,60}?)(?: in (?:19|20)\d\d| with .*| last .*)?",
        says.one_object("graduated_from"),
    ),
    core(rf"(?:can |can fluently )?speaks? (?P<o>.*{words.LANGUAGES}.*)", says.speaks),
    core(rf"can(?P<not> not)? (?:also |really |even )?speak (?P<o>.*{words.LANGUAGES}.*)", says.speaks),
    core(rf"{_BE} fluent in (?P<o>.*{words.LANGUAGES}.*)", says.speaks),
    core(rf"can(?P<not> not)? (?:also |really |even )?{_O}", says.can),
    core(rf"(?:knows?|know)(?P<not> not)? how to {_O}", says.can),
    core(
        rf"{_BE} (?P<o>single|married|divorced|engaged|widowed|separated)(?: now)?(?: (?:with|to) .*)?",
        says.one_object("marital_status"),
    ),
    core(rf"(?:has|have)(?: got)? {_O}", says.has),
    core(rf"owns? {_O}", says.objects("owns")),
    core(rf"(?:{_BE}|ha(?:ve|s) been) (?:an? |the (?=\w+$)){_O}", says.job),
    core(rf"plays? (?!with|around|a role|tricks|for)(?:the )?{_O}", says.objects("plays")),
    core(rf"eats? {_O}", says.objects("eats"), habit=True),
    core(rf"drinks? {_O}", says.objects("drinks"), habit=True),
    core(_O, says.does, habit=True),
)
