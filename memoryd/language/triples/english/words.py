"""English words and patterns the extractor goes by."""

from __future__ import annotations

import re

from memoryd.language.triples.kinship import KIN_EN, PEOPLE_EN

KIN = "(?:" + "|".join(sorted(map(re.escape, PEOPLE_EN), key=len, reverse=True)) + ")"
ONE_KIN = "(?:" + "|".join(sorted(map(re.escape, KIN_EN), key=len, reverse=True)) + ")"
KIN_LEAD = (
    r"(?:(?:best|good|close|old|older|younger|elder|big|little|twin|eldest|youngest"
    r"|half|step|new|former university|dear"
    r"|college|university|high school|school|only|maternal|paternal) )*"
)
OWN = r"(?:[Tt]he user|[Uu]ser|[Mm]y master|[Tt]he owner|I)"
MY = r"(?:[Mm]y|[Tt]he [Uu]ser's|[Uu]ser's|[Oo]ur)"
NAME = (
    r"(?:(?:Dr|Mr|Mrs|Ms)\.? )?(?:O')?[A-Z][a-zA-Zé-]{1,20}(?: (?:de |van |von "
    r"|la )?(?:O')?[A-Z][a-zA-Zé-]{1,20}){0,2}"
)
NO_NAMES = frozenset(
    """The This That These Those There Here It He She They We You My Our His Her Their Its When Where What
    Who Why How If Then So But And Or Yes No Not Now Today Tomorrow Yesterday Every Each Some Any All
    Most Many Please Let Let's Good Great Oh Wow Hey Hi Hello Thanks Thank Okay Ok Well Also Maybe
    Perhaps Apparently Actually Honestly Sometimes Usually Often Always Never Once Twice After Before
    While During Since Because Although Though Next Last In On At For From With Without By To As Of
    Everyone Everybody Nobody Someone Somebody People Life Work Imagine Suppose Pretend Monday Tuesday
    Wednesday Thursday Friday Saturday Sunday Remind Remember Book Call Tell Do Does Did Don't Can Could
    Would Should Will May Might Must Is Are Was Were Am Have Has Had Living Being Going Coffee Weather
    Music One Two Three Both None Sounds Looks Feels Seems Helps Makes Moments Pets Dogs Cats Almost
    Wish Bet Nature Family Love""".split()
)

BEFORE_VERB = (
    r"(?:always|usually|often|sometimes|rarely|seldom|occasionally|normally|generally"
    r"|frequently|mostly|hardly ever|almost always"
    r"|nearly always|regularly|typically|almost never)"
)
_DAYS = (
    r"(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?"
    r"|weekends?|weekdays?|mornings?|afternoons?|evenings?|nights?|days?|weeks?"
    r"|months?|years?|summers?|winters?|springs?|autumns?|january|july|august"
    r"|december)"
)
FREQUENCY = (
    r"(?:(?:almost |nearly )?(?:every|each) (?:(?:single|other|second|third|few"
    rf"|two|three) )?{_DAYS}(?: (?:morning|afternoon|evening|night|and {_DAYS}))?"
    rf"|(?:once|twice|(?:two|three|four|five|six|several|a few|\d+) times) (?:a|every|per) (?:{_DAYS})"
    r"|(?:on|at|in the) (?:(?:most|many|all) )?(?:mondays|tuesdays|wednesdays"
    r"|thursdays|fridays|saturdays|sundays|weekends|weekdays|mornings|evenings"
    r"|afternoons|(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday) "
    r"(?:mornings|evenings|nights|afternoons))"
    rf"|daily|weekly|monthly|all the time|every now and then|from time to time|now and then|most {_DAYS})"
)
CONDITION = (
    r"(?:when(?:ever)?|while|after|before|unless|during|if|as long as|as soon "
    r"as|on rainy|on sunny|in the rain) .{2,60}"
)
ADVERB = (
    r"(?:really|also|just|still|currently|now|actually|absolutely|truly|definitely"
    r"|both|especially|particularly|simply"
    r"|only|already|quite|very|totally|certainly|even|too|so|mainly|personally"
    r"|honestly|genuinely|recently|finally|all|have|has been|have been)"
)
LEAD = re.compile(
    r"^(?:and|but|so|also|well|oh|yes|no|by the way|btw|actually|honestly|in fact"
    r"|because|since|plus|besides|fyi|for the record"
    r"|as you know|these days|nowadays|now|currently|at the moment|right now|at "
    r"present|today|recently|though|although|however)\b,?\s*",
    re.IGNORECASE,
)

SILENT = re.compile(
    r"[?]|\b(?:if only|would|wouldn't|wish(?:es|ed)?|hop(?:e|es|ing)|imagine|suppos(?:e"
    r"|edly|ing)|pretend\w*|dream\w*|might|(?-i:may)(?= )|maybe"
    r"|perhaps|probabl[ey]|possibly|apparently|allegedly|rumou?rs?|gossip|reportedly"
    r"|seems?|seemed|someday|some day|one day|should|could|shall"
    r"|will|won't|(?<=\w)['’]ll|(?<=\w)['’]d|going to|gonna|plan(?:s|ning)?(?= "
    r"(?:to|on))|want(?:s|ed)?(?= to)|wanna|intend\w*|consider\w*|thinking (?:of"
    r"|about)"
    r"|used to|anymore|any more|formerly|no longer|as a (?:child|kid|boy|girl"
    r"|teenager)|when i was|back when|back then|in the past"
    r"|(?:he|she|they|says?|said|tells?|told|claim\w*|heard|thinks?|believe[sd]?"
    r"|guess|reckon|assum\w*) (?:that |me |i |he |she |they )"
    r"|says?|said|claims?|claimed|heard|not sure|i think|i guess|i doubt|doubt\w*"
    r"|unsure|don't know|do not know|wonder\w*|according to"
    r"|yesterday|last (?!name)\w+|tomorrow|tonight|this (?:morning|afternoon|evening"
    r"|weekend|week|month|year)|next \w+|ago|just now|earlier today"
    r"|you|your|never mind|nevermind|just kidding|joking|kidding|sarcas\w*|yeah "
    r"right|as if|in the (?:movie|film|book|novel|show|story|game|song)"
    r"|the (?:hero|main character|protagonist|narrator)|lyrics?|quote|stuck in|being stuck|let's|we|had)\b"
    r"|\.\.\.|…|[“\"].*[”\"]|^oh (?:great|wonderful|perfect|joy|fantastic|lovely)"
    r"|^(?:great|perfect|wonderful|fantastic), |what a |how (?:lovely|nice|wonderful)",
    re.IGNORECASE,
)
STARTS_SILENT = re.compile(
    r"^(?:if|please|let|remind|remember|don't|do not|do|does|did|can|could|is"
    r"|are|was|were|what|who|where|when(?! (?:it|i|the|we|she|he|my|there|people"
    r"|things|work))|why|how|which|thanks?|thank|good (?:night|morning|evening"
    r"|luck)|hello|hi|hey)\b",
    re.IGNORECASE,
)
MOVED = re.compile(r"\b(?:moved|relocated)\b", re.IGNORECASE)

JOB = re.compile(
    r"(?:er|or|ist|ian|eer|ant|ect|nurse|chef|cook|pilot|lawyer|attorney|judge"
    r"|clerk|physician|midwife|vet|coach|barista|freelancer|student|undergraduate"
    r"|intern|analyst|officer|secretary|assistant|guard|police\w+|fire\w+|salesman"
    r"|postman|plumber|carpenter|surgeon|dean|guide|architect|therapist|executive"
    r"|ceo|cto|writer|poet|actress|waitress|host|model|nanny|technician|scientist"
    r"|journalist|monk|priest|pastor|tailor|smith|spy|handyman|mechanic|specialist"
    r"|representative|rep)$",
    re.IGNORECASE,
)
NOT_JOB = re.compile(
    r"(?:reminder|getter|helper|blocker|changer|disaster|matter|number|wonder"
    r"|pleasure|keeper|killer|starter|lover|owner|person|fan|drinker|eater|smoker"
    r"|sleeper|riser|believer|beginner|learner|listener|reader|liar|winner|loser"
    r"|player|introvert|teetotaler|runner|morning|cancer|admirer|supporter|follower"
    r"|member|survivor|foreigner|vegetarian|christian|american|italian|canadian"
    r"|brazilian|russian|indian|egyptian|hungarian|ukrainian|norwegian|australian"
    r"|pescatarian|aquarian|libertarian|humanitarian|civilian|guardian|giant|dinner"
    r"|ancestor|sister|brother|mother|father|daughter)$",
    re.IGNORECASE,
)
LANGUAGES = (
    r"(?:English|Spanish|Portuguese|French|German|Italian|Dutch|Swedish|Norwegian"
    r"|Danish|Finnish|Polish|Czech|Russian|Ukrainian|Greek|Turkish|Arabic"
    r"|Hebrew|Hindi|Urdu|Bengali|Tamil|Mandarin|Cantonese|Chinese|Japanese|Korean"
    r"|Vietnamese|Thai|Indonesian|Malay|Swahili|Hungarian|Romanian|Catalan|Welsh"
    r"|Irish|Latin|Esperanto|sign language|Farsi|Persian)"
)
PETS = re.compile(
    r"\b(?:cat|dog|kitten|puppy|hamster|rabbit|bunny|parrot|budgie|canary|goldfish"
    r"|fish|turtle|tortoise|gecko|lizard|snake|hedgehog|guinea pig|ferret|horse"
    r"|pony"
    r"|retriever|poodle|corgi|labrador|beagle|terrier|husky|bulldog|spaniel|collie"
    r"|shepherd|dachshund|chihuahua|pug|tabby|siamese|persian|ragdoll|bird|chinchilla"
    r"|rat|mouse)s?$",
    re.IGNORECASE,
)
ILLNESS = re.compile(
    r"(?:asthma|diabetes|migraines?|arthritis|insomnia|anemia|anaemia|hypertension"
    r"|high blood pressure|low blood pressure|eczema|epilepsy|depression|anxiety"
    r"|adhd"
    r"|hay fever|psoriasis|tinnitus|gout|cancer|celiac disease|coeliac disease"
    r"|disease|disorder|syndrome|back pain|knee pain|condition|allergies|itis"
    r"|osis|emia|apnea|vertigo|heartburn|reflux|type [12] diabetes|claustrophobia"
    r"|acne|dyslexia|colou?r blindness|a bad back)$",
    re.IGNORECASE,
)
NOT_OWNED = re.compile(
    r"(?:idea|question|problem|meeting|feeling|time|day|week|fun|lunch|dinner"
    r"|breakfast|thing|appointment|exam|test|call|deadline|dream|chance|point"
    r"|cold|headache"
    r"|party|plan|reason|habit|crush|date|interview|job|way|hard time|break|look"
    r"|sense|experience|life|good time|trouble|nothing|lot|hunch|flight|class"
    r"|memory|choice|sister|brother|daughter|son|child|kid|"
    r"birthday|fight|class|concert|surgery|opinion|name|doubt|friend|weekend|passion"
    r"|interest|talent|fear|plenty|to|work)s?$",
    re.IGNORECASE,
)
BAD_OBJECT = re.compile(
    r" - |[–—]|\b(?:it|it's|them|these|those|this|there|is|are|was|were|gives?"
    r"|brings?|makes?|i|i'm|especially|of course|even|course)\b|^(?:it|this|that"
    r"|these|those|him|her|them|me|you|us|everything|anything|nothing|something"
    r"|so|not|to|too|what|which|who|how|one|here|there|home|all|of|be|been|lot|bit|much)$"
    r"|\b(?:that|so)$|^(?:think|say|know|believe|see|hear|admit|be)\b"
    r"|^(?:what|how|who|that|it|this|you|when|why)\b|\b(?:which|that is|who is)\b",
    re.IGNORECASE,
)
SKILL = re.compile(
    r"^(?:swim|drive|cook|dance|sing|ski|skate|surf|ride .+|play .+|bake.*|sew"
    r"|knit|paint|draw|juggle|whistle|code|program|write .+|dive|climb.*|speak "
    r".+|read music|make .+|fix .+|do .+|type|fly .+|sail|row|snowboard|crochet"
    r"|read .+|run .+|understand .+|touch type|lift .+|solve .+|walk|hear.*|see.*"
    r"|eat .+|drink .+|stay up.*|sleep.*|whistle|box|fish|hunt|use .+|parallel "
    r"park)$",
    re.IGNORECASE,
)
DATE = re.compile(
    r"^(?:(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?(?: "
    r"(?:the )?\d{1,2}(?:st|nd|rd|th)?)?(?:,? (?:in )?\d{4})?"
    r"|(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:January|February|March|April"
    r"|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr"
    r"|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?(?:,? \d{4})?|\d{4}(?:-\d{1,2}-\d{1,2})?"
    r"|\d{1,2}/\d{1,2}(?:/\d{2,4})?|(?:Christmas|New Year's|Halloween|Valentine's"
    r"|Boxing) (?:Eve|Day)|Halloween)$",
    re.IGNORECASE,
)
