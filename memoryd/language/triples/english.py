"""The grammar of English for the clause reader."""

from __future__ import annotations

import re

from memoryd.language.triples import degrees
from memoryd.language.triples.grammar import Grammar, rewrites, rules
from memoryd.language.triples.kinship import PEOPLE_EN


def _any_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _any_of(words: str) -> str:
    """A pattern of words in any case; a blank in one of them is written `_`."""
    return f"(?i:{'|'.join(words.split()).replace('_', ' ')})"


_KIN = rf"(?:{'|'.join(sorted(map(re.escape, PEOPLE_EN), key=len, reverse=True))})"
_KIN_ADJECTIVES = (
    r"(?:(?:best|good|close|old|older|younger|elder|big|little|twin|eldest|youngest|half|step|new|former|dear"
    r"|college|university|high school|school|only|maternal|paternal|piano) )*"
)
_OWN = r"(?:[Tt]he user|User|[Mm]y master|[Tt]he owner|I)"
_MY = r"(?:[Mm]y|[Tt]he [Uu]ser's|[Uu]ser's|[Oo]ur)"
_PRONOUN = r"(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hey)"
_NO_NAMES = """The This That These Those There Here It He She They We You My Our His Her Their Its What
    Who Which If So But And Or Yes No Not Now Today Tomorrow Yesterday Every Each Some Any All Most Many
    Both None One Two Three Everyone Everybody Nobody Someone Somebody People Also Maybe Perhaps
    Apparently Actually Honestly Sometimes Usually Often Always Never Still Just Almost Next Last Life
    Work Weather Family Nature Love Music Coffee Dogs Cats Pets Do Does Did Can Could Would Should Will
    May Might Must Is Are Was Were Am Have Has Had Monday Tuesday Wednesday Thursday Friday Saturday
    Sunday Sounds Looks Feels Seems Helps Makes Call Book Wish Good Great"""
_WORD = rf"(?!(?:{'|'.join(_NO_NAMES.split())})\b)(?:O')?[A-Z][a-zA-Zé-]{{1,20}}(?<!ing)"
_NAME = rf"(?:(?:Dr|Mr|Mrs|Ms)\.? )?{_WORD}(?: (?:de |van |von |la )?{_WORD}){{0,2}}"
_WHO = rf"(?:{_OWN}|{_PRONOUN}|{_NAME})"
_RELATIVE = rf"{_KIN_ADJECTIVES}(?P<kin>{_KIN})"

_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PART_OF_DAY = r"(?:morning|afternoon|evening|night)"
_PERIOD = rf"(?:{_WEEKDAY}|{_PART_OF_DAY}|day|weekend|weekday|week|month|year|summer|winter|spring|autumn)s?"
_BEFORE_VERB = (
    r"(?:(?:almost |nearly )?always|usually|often|sometimes|rarely|seldom|occasionally|normally|generally"
    r"|frequently|mostly|hardly ever|regularly|typically)"
)
_FREQUENCY = (
    rf"(?:(?:almost |nearly )?(?:every|each) (?:(?:single|other|second|third|few|two|three) )?{_PERIOD}"
    rf"(?: {_PART_OF_DAY}| and {_PERIOD})?|(?:once|twice|(?:two|three|four|five|six|several|a few"
    rf"|\d+) times) (?:a|every|per) {_PERIOD}|(?:on|at|in the) (?:(?:most|many|all) )?(?:{_WEEKDAY}s|weekends"
    rf"|weekdays|{_PART_OF_DAY}s|{_WEEKDAY} {_PART_OF_DAY}s)|daily|weekly|monthly|all the time"
    rf"|every now and then|from time to time|now and then|most {_PERIOD})"
)
_DEGREE = rf"(?!a ){degrees.EN}"
_PEOPLE = (
    r"(?:[Ee]very(?:one|body)|(?:[Mm]ost )?[Pp]eople|[Mm]y (?:friends|family|colleagues|mom|parents)|[Tt]hey)"
)
_CONJUNCTION = r"(?:when(?:ever)?|while|after|before|unless|during|if|as long as|as soon as)"
_ADVERB = (
    r"(?:also|just|still|currently|now|actually|definitely|both|simply|only|already|certainly|even|too|mainly"
    r"|personally|honestly|recently|finally|all|originally|fluently|have|has been|have been)"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar"
    r"|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?:the )?\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:{_MONTH}(?: {_DAY})?(?:,? (?:in )?\d{{4}})?|{_DAY}(?: of)? {_MONTH}(?:,? \d{{4}})?"
    r"|\d{4}(?:-\d{1,2}-\d{1,2})?|\d{1,2}/\d{1,2}(?:/\d{2,4})?|(?:Christmas|New Year's|Halloween|Valentine's"
    r"|Boxing) (?:Eve|Day)|Halloween)"
)
_KIND_WORDS = """vegetarian vegan pescatarian introvert extrovert person owl lover fan twin only_child
    aries taurus gemini leo virgo libra scorpio sagittarius capricorn aquarius pisces christian buddhist
    muslim atheist teetotaler perfectionist minimalist reader riser sleeper drinker eater smoker
    left-hander mother father parent widow widower feminist bookworm workaholic gamer runner"""
_NO_JOB = _any_of(
    _KIND_WORDS
    + """ number wonder keeper killer starter owner believer beginner learner listener loser winner
    player cancer supporter follower member foreigner dinner ancestor survivor sister brother daughter
    terrier retriever"""
)
_JOB_ENDINGS = _any_of(
    """er or ist ician rarian narian torian comedian accountant assistant consultant architect nurse
    chef cook pilot attorney judge clerk midwife vet coach barista student undergraduate intern
    analyst secretary guard dean guide executive ceo cto poet actress waitress host model nanny monk
    priest tailor smith spy mechanic representative rep police_officer policeman policewoman fireman
    salesman postman handyman surgeon"""
)
_JOB = rf"(?:\w+ ){{0,3}}(?!\w*{_NO_JOB}s?\b)[\w-]*{_JOB_ENDINGS}"
_PETS = """cat dog kitten puppy hamster rabbit bunny parrot budgie canary goldfish fish turtle tortoise
    gecko lizard snake hedgehog guinea_pig ferret horse pony retriever poodle corgi labrador beagle terrier
    husky bulldog spaniel collie shepherd dachshund chihuahua pug tabby siamese ragdoll bird"""
_PET = rf"(?:\w+ ){{0,3}}{_any_of(_PETS)}s?"
_KIND = rf"{_PET}|(?:\w+[ -]){{0,3}}{_any_of(_KIND_WORDS)}"
_ILLNESS = ".{0,30}" + _any_of(
    """asthma diabetes migraine migraines arthritis insomnia anemia anaemia hypertension
    blood_pressure eczema epilepsy depression anxiety adhd hay_fever psoriasis tinnitus gout cancer
    disease disorder syndrome back_pain knee_pain condition allergies itis osis apnea vertigo
    heartburn reflux claustrophobia acne dyslexia"""
)
_SKILL_VERBS = """swim drive cook dance sing ski skate surf bake sew knit paint draw juggle whistle code
    program dive climb type sail row snowboard crochet ride play write make fix fly read solve lift use
    understand eat drink sleep"""
_SKILL = rf"{_any_of(_SKILL_VERBS)}(?: .+)?"
_ROUTINE_VERBS = """go run jog walk meditate exercise do take watch listen call visit train clean bike
    cycle volunteer hike wake stay smoke skip attend teach garden shop nap stretch pray journal practice
    practise"""
_ROUTINE = rf"{_any_of(_SKILL_VERBS + ' ' + _ROUTINE_VERBS)}(?:e?s)?\b.{{0,60}}"
_PAST_VERB = r"(?:was|were|had|took|went|did|got|came|saw|made|\w+ed)"
_NUMBER = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?)"
)
_BE = r"(?:am|is|are|has been|have been)"
_WORK = rf"(?:works?|{_BE} (?:working|employed))"
_STUDY = rf"(?:stud(?:y|ies)|majors? in|learns?|{_BE} (?:studying|majoring in|learning))"
_HAVE = r"ha(?:ve|s)(?: got)?"
_COUNT = r"(?:an?|two|three|four|five|one|some|\d+)"
_EATING = r"(?:(?:to )?(?:eat|drink)(?:ing)? |to )?"


ENGLISH = Grammar(
    kinship=PEOPLE_EN,
    own=re.compile(rf"{_OWN}(?![\w'])|me|{_MY}|one of my"),
    pronoun=re.compile(_PRONOUN),
    name=re.compile(_NAME),
    silent=_any_case(
        r"[?]|\b(?:if only|would|wouldn't|wish(?:es|ed)?|hop(?:e|es|ing)|imagine|suppos(?:e|edly|ing)"
        r"|pretend\w*|dream\w*|might|(?-i:may)(?= )|maybe|perhaps|probabl[ey]|possibly|apparently|allegedly"
        r"|rumou?rs?|gossip|reportedly|seem(?:s|ed)?|some ?day|one day|should|could|shall|will|won't|\w+['’]"
        r"(?:ll|d)|going to|gonna|plan(?:s|ning)?(?= (?:to|on))|want(?:s|ed)?(?= to)|wanna|intend\w*"
        r"|consider\w*|thinking (?:of|about)|(?:he|she|they|tells?|told|thinks?|believe[sd]?|guess|reckon"
        r"|assum\w*) (?:that |me |i |he |she |they )|says?|said|claim(?:s|ed)?|heard|not sure|i think|i guess"
        r"|doubt\w*|unsure|(?:don't|do not) know|wonder\w*|according to|tomorrow|tonight|next \w+|you|your"
        r"|never ?mind|just kidding|joking|kidding|sarcas\w*|yeah right|as if|in the (?:movie|film|book|novel"
        r"|show|story|game|song)|lyrics?|quote|stuck in|let's|we|the (?:hero|main character|protagonist"
        r"|narrator)|had)\b|\.\.\.|…|[“\"].*[”\"]|^oh (?:great|wonderful|perfect|joy|fantastic|lovely)|^"
        r"(?:great|perfect|wonderful|fantastic), |what a |how (?:lovely|nice|wonderful)|^(?:if|please|let"
        r"|remind|remember|don't|do|does|did|can|could|is|are|was|were|what|who|where|why|how|when(?! (?:it|i"
        r"|the|we|she|he|my|there|people|things|work))|which|thanks?|thank|hello|hi|hey|good (?:night|morning"
        r"|evening|luck))\b"
    ),
    rewrites=rewrites(
        ("’", "'"),
        (r"\bI'm\b", "I am"),
        (r"'ve\b", " have"),
        (r"\b(can)(?:'t|not)\b|n't\b", r"\1 not"),
        (r"\bcan not (?:stand|bear|tolerate)\b", "hates"),
        (r"\b([Ss]?[Hh]e|[Ii]t)'s\b|'s(?= (?:an?|afraid|allergic|from|called|also|very)\b)", r"\1 is"),
        (rf"\b(am|is|are|can|has|have) ((?:(?:not|never|{_ADVERB}|{_DEGREE}|{_BEFORE_VERB}) )+)", r"\2\1 "),
        (rf"^{_PEOPLE} (?:(?:just|all|{_BEFORE_VERB}) )?calls? (?:me|the user)\b", "My nickname is"),
        (rf"^([A-Z].{{1,40}}) is {_MY} (favou?rite \w+)", r"My \2 is \1"),
    ),
    boundary=re.compile(
        rf"\s*;\s*|,?\s+(?:but|and|so|while|because|although|though)\s+(?!(?:I|s?he|the user) are\b)"
        rf"(?={_OWN}\b|[Mm]y |{_PRONOUN} |(?:have|has|am|is|not|do not|does not|lives?|works?|loves?|likes?"
        rf"|hates?|plays?|speaks?|can|stud(?:y|ies)|prefers?|enjoys?|drinks?|eats?|owns?)\b)|,\s*(?={_OWN} "
        rf"|[Mm]y |[Ss]?[Hh]e )"
    ),
    padding=_any_case(
        r"^(?:and|but|so|also|well|oh|yes|no|by the way|btw|actually|honestly|in fact|because|since|plus"
        r"|besides|fyi|for the record|as you know|these days|nowadays|now|currently|at the moment|right now"
        r"|at present|today|recently|though|although|however)\b,?\s*|[\s.,!;]+$"
    ),
    past=_any_case(
        r"\b(?:used to|any ?more|formerly|no longer|as a (?:child|kid|boy|girl|teenager)|when i was|back when"
        rf"|back then|in the past|{_CONJUNCTION} .*\b{_PAST_VERB})\b"
    ),
    now=_any_case(r"(?:and |but )?(?:now|nowadays|these days|currently|today)\b"),
    event=_any_case(
        r"\b(?:yesterday|last (?!name)\w+|this (?:morning|afternoon|evening|weekend|week|month|year)"
        r"|\w+ \w+ ago|just now|earlier today|recently)\b,?"
    ),
    condition=_any_case(rf"{_CONJUNCTION} .{{2,60}}"),
    fronted=_any_case(
        rf"(?P<condition>(?:{_CONJUNCTION}|on rainy|on sunny|in the rain) .{{2,60}}?),\s*(?=\S)|"
        rf"(?P<frequency>{_FREQUENCY}|{_BEFORE_VERB}),?\s+(?=\S)"
    ),
    leading=_any_case(
        rf"(?:(?P<frequency>{_BEFORE_VERB})|(?P<not>(?:(?:do|does) )?(?:not|never)|almost never)|"
        rf"(?P<degree>{degrees.EN}(?: {degrees.EN})*)|{_ADVERB})\s"
    ),
    trailing=_any_case(
        r"(?:\s+[-–—]+\s|,\s*(?:but|especially|'?cause|because|which|who|so|even|particularly|except|plus"
        r"|since"
        rf"|although|though|as|like)\b).*$|,?\s(?P<condition>{_CONJUNCTION} .{{2,60}})$|,?\s"
        rf"(?P<frequency>{_FREQUENCY})$|\s(?P<degree>{degrees.EN_LAST})$"
    ),
    subjects=rules(
        rf"""
        {_MY} {_RELATIVE},? (?:named |called )?(?P<name>{_NAME})(?:,(?= )|(?= |'s ))
        {_MY} {_RELATIVE}(?= |'s )
        (?P<own>{_OWN})(?= )|(?P<pronoun>{_PRONOUN})(?= )
        (?P<own>)(?={_MY} )
        (?P<whose>{_NAME})'s (?P<kin>{_KIN})(?= )
        (?P<name>{_NAME})(?= |'s )
        """
    ),
    relations=rules(
        rf"""
        (?P<who>{_WHO}) and (?P<whose>{_WHO}|me) (?P<not>not )?(?:are|have been) (?:\w+ )?{_RELATIVE}(?: \
            (?:at|for|since) .+)?
        (?P<who>{_WHO}) (?P<not>not )?(?:am|is|are) (?P<whose>{_MY}|{_NAME}(?='s)|one of my)(?:'s)? \
            (?:\w+ )?{_RELATIVE}
        (?P<whose>{_MY}|{_NAME}(?='s))(?:'s)? (?:\w+ )?{_RELATIVE}(?: is|'s name is)(?: called| named)? \
            (?P<name>{_NAME})
        (?P<whose>{_OWN}) (?P<not>(?:do |does )?not )?(?:have|has) (?:an?|one|two|three|any) {_RELATIVE}\
            (?:,? (?:who is |whose name is )?(?:named|called)? ?(?P<name>{_NAME}))?
        """
    ),
    event_rules=rules(
        r"""
        (?:have |has )?(?:moved|relocated) (?:back )?to <lives_in>(?: (?:from|with|for|because|in) .*)?
        graduated from <graduated_from>(?: (?:with|in) .*)?
        """
    ),
    rules=rules(
        rf"""
        (?:{_MY} (?:full |first |last )?name is|{_BE} (?:called|named)) (?P<name>{_NAME})
        (?:{_MY} nickname is|go(?:es)? by) (?P<nickname>[A-Z][\w ]*)
        (?:{_MY}|'s) (?:birthday|birth date|date of birth)(?: is| falls)(?: on)? <born_on>
        (?:was|were) born (?:on|in) <born_on>(?:,? in <born_in>)?
        (?:was|were) born in <born_in>(?:,? (?:on|in) <born_on>)?
        (?:{_BE}|turned) <age>(?: years? old| years of age)?
        {_BE} <height>(?: tall)?
        weighs? <weight>
        {_MY} favou?rite <kind> (?:is|are) <favorite>
        {_MY} (?P<is_a>{_PET})(?: is|'s name is)(?: named| called)? <pet>
        {_MY} (?:job|occupation|profession) is (?:being )?(?:an? |the )?(?P<works_as>{_JOB})
        (?:hates?|dislikes?|detests?|loathes?|despises?) {_EATING}<dislikes>
        (?:fears?|{_BE} (?:afraid|scared|terrified|frightened) of) <fears>
        (?:{_BE} allergic|ha(?:ve|s) an? (?:\w+ )?allergy) to <allergic_to>
        ha(?:ve|s) an? (?:(?P<degree>severe|mild|bad|serious) )?<allergic_to> allergy
        (?:suffers? from|(?:was|{_BE}) diagnosed with) <suffers_from>
        prefers? {_EATING}<prefers>(?: (?:to|over|rather than|than) .*)?
        (?:(?:love|like|enjoy|adore)s?|{_BE} (?:a )?(?:big |huge )?(?:fond of|into|keen on|fan of)\
            |{_MY} hobb(?:y|ies) (?:is|are)) {_EATING}<likes>
        (?:(?:comes?|came|{_BE}|hails?) (?:originally )?from|grew up in|{_MY} home ?town is) <comes_from>
        (?:lives?|{_BE} living|resides?) with (?:my )?<lives_with>
        (?:lives?|{_BE} (?:living|based|located)|resides?) in <lives_in>(?: (?:with|near|for) .*)?
        {_WORK} as <works_as>(?: (?:at|for) (?:(?P<works_at>[A-Z].*)|.*))?
        {_WORK} (?:at|for) (?!an? (?!.*[A-Z])|(?:home|night|all|myself|hard|noon|present)\b)<works_at>\
            (?: as <works_as>)?
        {_WORK} (?:at|for) .+ as <works_as>
        (?:{_STUDY} at|go(?:es)? to(?= .*(?:University|College|School|Institute))) <studies_at>
        (?:{_STUDY}|{_MY} major is) (?!hard|abroad|for|in|at|with|late)<studies>(?: at <studies_at>)?
        (?:(?:can )?speaks?|{_BE} fluent in|{_MY} (?:mother tongue|(?:native|first) language) is) <speaks>
        (?:can|knows? how to) <can>
        {_BE} <marital_status>(?: now)?(?: (?:with|to) .*)?
        {_HAVE} {_COUNT} (?P<is_a>{_PET}),? (?:named|called) <pet>
        {_HAVE} {_COUNT} (?P<has_pet>{_PET})
        {_HAVE} (?P<suffers_from>{_ILLNESS})
        owns? <owns>
        {_BE} (?:an? |the (?=\w+$))(?P<works_as>{_JOB})(?: (?:at|for) (?:(?P<works_at>[A-Z].*)|.*)\
            | (?:in|with|from|who|on|by|of) .*)?
        {_BE} an? (?P<is_a>{_KIND})
        plays? (?!with|around|a role|tricks|for)(?:the )?<plays>
        """
    ),
    habits=rules(
        rf"""
        eats? <eats>
        drinks? <drinks>
        (?P<does>{_ROUTINE})
        """
    ),
    coordination=re.compile(r",?\s+(?:and|or)\s+|,\s+|\s+as well as\s+"),
    trimmed=_any_case(
        r"^(?:['\"]|(?:a little(?: bit of)?|an? (?:bit|lot|cup|glass|pair) of|lots of|all kinds of|an?|the|my"
        r"|his|her|their|some|any|several|many|two|three|four|five|one|both|basic|fluent)\s(?=\S))|"
        r"(?:[.,!'\"]|\s(?:too|as well|at all|myself|these days|now|right now|nowadays|currently|well"
        r"|fluently|though|(?:really|very) well|since \S+.*|for (?:\S+ )?(?:years|months|weeks|ages).*"
        r"|at the moment|in my (?:free|spare) time))$"
    ),
    not_objects=_any_case(
        r" - |[–—]|\b(?:it|it's|them|these|those|this|there|is|are|was|were|gives?|brings?|makes?|i"
        r"|especially|of course|even|course|which|who is)\b|^(?:that|him|her|me|us|everything|anything"
        r"|nothing|something|so|not|to|too|one|here|home|all|of|be|been|lot|bit|much)$|\b(?:that|so)$|^"
        r"(?:think|say|know|believe|see|hear|admit|be|what|how|who|that|when|why)\b"
    ),
    kinds={
        "born_on": _any_case(_DATE),
        "born_in": re.compile(rf"(?!.* and |{_MONTH})[A-Z].+"),
        "age": re.compile(rf"\d{{1,3}}|{_NUMBER}"),
        "height": re.compile(r"\d(?:\.\d+)? ?(?:m|met(?:er|re)s)|\d{2,3} ?cm|\d ?(?:feet|foot|ft)(?: ?\d+)?"),
        "weight": re.compile(r"\d.*"),
        "comes_from": re.compile(r"(?=.*[A-Z])(?!.* and ).+"),
        "lives_with": re.compile(rf"{_KIN}|{_NAME}"),
        "speaks": re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?|sign language"),
        "can": re.compile(_SKILL),
        "marital_status": re.compile(r"single|married|divorced|engaged|widowed|separated"),
        "pet": re.compile(_NAME),
    },
    max_object_chars=60,
)
