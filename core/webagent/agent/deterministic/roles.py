"""What prepositions and the words of a name say of a slot."""

from __future__ import annotations

from typing import Final

from webagent.agent.deterministic.stemmer import stem


def stemmed(words: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(map(stem, words.split()))


ROLES: Final = {
    "from": stemmed("from origin source company start departure depart pickup sender since begin after "
                   "earliest min sourcelanguage"),
    "to": stemmed("to destination dest target end arrival recipient receiver payee language until "
                 "into beneficiary dropoff list assignee agent folder before max latest status "
                 "value new email title name level contact user"),
    "into": stemmed("language target to list folder category currency"),
    "in": stemmed("city location place country category area region language room section folder "
                 "currency where town neighborhood month genre department channel format near "
                 "destination project units color zone shop store board"),
    "at": stemmed("time location place venue restaurant hotel address company store station branch "
                 "rate where pickup level"),
    "near": stemmed("location near city place zip address postcode where region station around"),
    "close": stemmed("location near city place zip address postcode where region"),
    "around": stemmed("location near city place where time date"),
    "by": stemmed("author artist creator director by brand writer sort order composer assignee "
                 "owner designer deadline due weeks days percent maker manufacturer"),
    "for": stemmed("name person guest patient recipient reason customer duration topic party "
                  "occasion for place destination city region country cause user member purpose "
                  "employee driver passenger candidate client subject"),
    "with": stemmed(
        "with doctor provider guest attendee participants topping ingredient teacher agent person "
        "contact artist invitees member extras attendees instructor player players friends team"
    ),
    "without": stemmed("without exclude excluded excluding no omit"),
    "except": stemmed("without exclude except excluding"),
    "about": stemmed("topic subject query about message title reason question keyword term q"),
    "regarding": stemmed("topic subject about reason"),
    "on": stemmed("date day topic channel platform street subject query reservation ticket board"),
    "under": stemmed("name category max folder"),
    "as": stemmed("role status type format priority reason as category label"),
    "called": stemmed("name title label called subject"),
    "named": stemmed("name title label"),
    "titled": stemmed("name title label subject headline"),
    "entitled": stemmed("name title label subject headline"),
    "labelled": stemmed("label tag tags"),
    "tagged": stemmed("label tag tags"),
    "saying": stemmed("message body text content comment note description reply"),
    "says": stemmed("message body text content comment note description reply"),
    "reading": stemmed("message body text content comment note"),
    "because": stemmed("reason description comment note message"),
    "containing": stemmed("contains containing text keyword query filter includes match"),
    "mentioning": stemmed("contains containing text keyword query filter"),
    "matching": stemmed("contains containing text keyword query filter match pattern"),
    "via": stemmed("method mode via channel payment stop"),
    "using": stemmed("method mode payment card using"),
    "within": stemmed("radius distance within max"),
    "before": stemmed("before end until to max latest"),
    "after": stemmed("after start since from min earliest"),
    "since": stemmed("since start from after min"),
    "until": stemmed("until end to through"),
    "through": stemmed("method mode via"),
    "of": frozenset(),
}  # fmt: skip
"""Names of slots by the preposition before what goes into them."""
START: Final = stemmed(
    "start from begin checkin check arrival arrive depart departure outbound "
    "pickup since after earliest first min begins starts leave leaving"
)
END: Final = stemmed(
    "end to until till checkout out return inbound dropoff before latest last through "
    "max ends due deadline returning back"
)
MAX: Final = stemmed("max maximum limit most below under budget upper ceiling to highest max_price")
MIN: Final = stemmed("min minimum least above over lower floor from lowest")
LINKS: Final = frozenset({"is", "of", ":", "=", "as", "to", "number", "no", "the", "a", "an", "#",
                           "are", "at", "be", "id", "code", "ending", "in", "called", "for", "-"})  # fmt: skip
KEY_STOPS: Final = frozenset({"and", "with", "from", "to", "for", "at", "on", "by", "in", "but",
                               "then", "or"})  # fmt: skip
FLAG_FILLERS: Final = stemmed(
    "include includes including has have is with only show want wants wanted require required "
    "requires needs need enable enabled allow allowed use get add send accept accepts do should "
    "filter flag leave are was can"
)
