"""What goals choose, and what they turn on and off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_TEXT: Mapping[str, Any] = {"type": "string"}
_SWITCH: Mapping[str, Any] = {"type": "boolean"}


def _one_of(*values: str | float, description: str = "") -> Mapping[str, Any]:
    return {"enum": [*values], "description": description}


def _tool(
    name: str, description: str, /, *, reads: bool = False, hints: bool = True, **parameters: Any
) -> dict[str, Any]:
    """Return a tool; parameters whose names end in `_` are optional."""
    schema = {
        "type": "object",
        "properties": {key.rstrip("_"): value for key, value in parameters.items()},
        "required": [key for key in parameters if not key.endswith("_")],
    }
    said = {"annotations": {"readOnlyHint": reads}} if hints else {}
    return {"name": name, "description": description, "inputSchema": schema, **said}


_ANSWER = _tool(
    "answer_invitation",
    "Answer an invitation.",
    id={"type": "string", "pattern": "^I-\\d+$"},
    answer=_one_of("accepted", "declined"),
)
_TRADE = _tool(
    "placeTrade",
    "Place a trade.",
    side=_one_of("buy", "sell"),
    shares={"type": "integer"},
    fund=_TEXT,
)
_DELIVERY = _tool(
    "set_delivery",
    "How the meal reaches the guest.",
    mode=_one_of("delivery", "takeaway"),
    address_=_TEXT,
)
_TRIM = _tool(
    "trim",
    "Trim the picture to a shape.",
    shape=_one_of("1:1", "4:3", description="1:1 is a square"),
)
_DOME = _tool(
    "domeStatus",
    "Status of the dome of a telescope.",
    reads=True,
    site=_one_of("A1", "B2", description="A1 = 300 mm, Namibia; B2 = 500 mm, Iceland"),
)
_DISTANCE = _tool(
    "distance",
    "Distance between two harbours.",
    reads=True,
    start=_TEXT,
    end=_TEXT,
    unit_=_one_of("km", "mi", "nmi", description="Kilometres, miles or nautical miles"),
)
_MODE = _tool(
    "count_stations", "Count the stations.", reads=True, mode_=_one_of("SSB", "FT8", "FM")
)
_SORT = _tool(
    "sort", "Sort the table.", column=_one_of("girth", "name"), dir=_one_of("asc", "desc")
)
_CHECKOUT = _tool(
    "requestLateCheckout", "Ask to check out later.", until=_one_of("12:00", "13:00", "14:00")
)

_SHOWS = _tool(
    "findShows", "Find shows.", reads=True, genre_=_one_of("concert", "theatre", "opera")
)
_LESSONS = _tool(
    "findLessons", "Find lessons.", reads=True, instrument_=_one_of("violin", "piano", "drums")
)
_CARTONS = _tool(
    "orderCartons",
    "Order cartons.",
    kind=_one_of("book", "clothes"),
    count={"type": "integer"},
)

_EXPENSE = _tool(
    "addExpense",
    "Add an expense.",
    amount={"type": "number"},
    category=_one_of("transport", "eating_out", "leisure", "health"),
)
_FAULT = _tool(
    "reportFault",
    "Report a fault in the flat.",
    category=_one_of("plumbing", "electrical", "pest"),
    room_=_TEXT,
)
_RETURN = _tool(
    "returnOrder",
    "Return an order.",
    order={"type": "string", "pattern": "^R\\d+$"},
    reason=_one_of("damaged", "stolen", "late"),
)
_COLLECT = _tool("checkout", "Order what is in the basket.", delivery=_one_of("courier", "collect"))
_COURSES = _tool(
    "findCourses",
    "Find courses.",
    reads=True,
    level_=_one_of("beginner", "intermediate", "advanced"),
)

_REMIND = _tool(
    "setReminder", "Set how reminders are sent.", channel=_one_of("sms", "email", "none")
)
_PROFILE = _tool("setVisibility", "Who sees the profile.", visibility=_one_of("public", "hidden"))
_ROOF = _tool(
    "setRoofWindow", "Move the window in the roof.", position=_one_of("open", "closed", "half")
)
_FILMS = _tool("findFilms", "Find films.", reads=True, genre_=_one_of("comedy", "horror", "drama"))
_COURTS = _tool(
    "free_courts", "Courts that are free.", reads=True, surface_=_one_of("clay", "grass", "carpet")
)
_LINE_UP = _tool("set_line_up", "Set the line-up of the team.", shape=_one_of("4-4-2", "3-5-2"))
_ALBUM = _tool("orderAlbum", "Order an album of photos.", cover=_one_of("soft", "hard", "linen"))
_MEAL = _tool("mealDays", "Days of meals.", reads=True, child_=_one_of("Ines", "Paul"))
_WATER = _tool("test_water", "Test a sample of water.", germ=_one_of("ECOLI", "LEGIONELLA"))
_RUNS = _tool("list_runs", "List the runs.", reads=True, kind_=_one_of("sprint", "night", "relay"))
_LUGGAGE = _tool("sendLuggage", "Send luggage.", speed=_one_of("standard", "express"))
_KAYAKS = _tool(
    "findKayaks",
    "Find kayaks.",
    reads=True,
    max_price_={"type": "number"},
    min_rating_={"type": "number"},
    sort_by_=_one_of("relevance", "price_low_to_high", "price_high_to_low", "rating", "newest"),
)
_HIKES = _tool(
    "listHikes",
    "List the hikes.",
    reads=True,
    order_=_one_of("date_desc", "date_asc", "length_desc", "length_asc"),
)
_CABINS = _tool(
    "findCabins",
    "Find cabins.",
    reads=True,
    place=_TEXT,
    extras_={"type": "array", "items": _one_of("sauna", "stove", "boat")},
)
_SALADS = _tool(
    "findSalads",
    "Find salads.",
    reads=True,
    dressing_=_one_of("lemon", "yoghurt"),
    include_ingredients_={"type": "array", "items": _TEXT},
    exclude_ingredients_={"type": "array", "items": _TEXT},
    max_minutes_={"type": "integer"},
)
_RECIPE_UNITS = _tool(
    "showPattern",
    "Show a knitting pattern.",
    reads=True,
    pattern={"type": "string", "pattern": "^P-\\d+$"},
    units_=_one_of("metric", "us"),
)
_REVIEW = _tool(
    "reviewCampsite",
    "Review a campsite.",
    stars={"type": "integer"},
    would_stay_again_=_SWITCH,
)
_CALLBACK = _tool(
    "requestCallback",
    "Ask to be called back.",
    phone={"type": "string", "description": "Phone number with country code"},
    name_=_TEXT,
)
_POSTAGE = _tool(
    "getPostage",
    "What a parcel costs.",
    reads=True,
    kilos={"type": "number"},
    country={"type": "string", "description": "ISO 3166 alpha-2"},
)
_VISIT = _tool(
    "freeSlots",
    "Free slots of the practice.",
    reads=True,
    who_={
        "oneOf": [{"const": "A", "title": "Dr Ames, eyes"}, {"const": "B", "title": "Dr Bly, ears"}]
    },
)


_ORE = _tool(
    "weighOre",
    "Write down the weight of ore.",
    amount={"type": "number"},
    unit=_one_of("kg", "lb"),
)
_TIDE = _tool(
    "tideChart",
    "The tides of a harbour.",
    reads=True,
    harbour=_TEXT,
    step_=_one_of("1d", "1wk"),
    scale_=_one_of("lat", "msl", description="Lowest tide (lat) or mean sea level (msl)"),
)
_PIER = _tool(
    "rentPier",
    "Rent a place at the pier.",
    cover=_one_of("basic", "comfort"),
    extras_={"type": "array", "items": _one_of("bedding", "bike_rack")},
    notify_=_one_of("email", "none"),
)
_EXCHANGE = _tool(
    "exchange",
    "Convert an amount of money.",
    reads=True,
    amount={"type": "number"},
    **{"from": _one_of("EUR", "USD")},
    to=_one_of("EUR", "USD"),
)


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        ("write down a weight of 7.5 kg of ore", _ORE, {"amount": 7.5, "unit": "kg"}),
        (
            "show the weekly tides of Norhaven at mean sea level",
            _TIDE,
            {"harbour": "Norhaven", "step": "1wk", "scale": "msl"},
        ),
        (
            "rent a place at the pier with comfort cover and a bike rack, without any notification",
            _PIER,
            {"cover": "comfort", "extras": ["bike_rack"], "notify": "none"},
        ),
        (
            "how much is 240 dollars in euros?",
            _EXCHANGE,
            {"amount": 240, "from": "USD", "to": "EUR"},
        ),
        ("no quiero más recordatorios", _REMIND, {"channel": "none"}),
        ("I don't want any reminders any more", _REMIND, {"channel": "none"}),
        ("hide my profile", _PROFILE, {"visibility": "hidden"}),
        ("free slots of Dr Bly?", _VISIT, {"who": "B"}),
        (
            "find kayaks for at most 900 euros, cheapest first",
            _KAYAKS,
            {"max_price": 900, "sort_by": "price_low_to_high"},
        ),
        (
            "find kayaks, sorted from most expensive to cheapest",
            _KAYAKS,
            {"sort_by": "price_high_to_low"},
        ),
        (
            "Kajaks bis höchstens 900 Euro, die neuesten zuerst",
            _KAYAKS,
            {"max_price": 900, "sort_by": "newest"},
        ),
        ("trouve des kayaks, les plus récents d'abord", _KAYAKS, {"sort_by": "newest"}),
        ("find kayaks sorted by rating", _KAYAKS, {"sort_by": "rating"}),
        ("find kayaks with a rating of at least 4", _KAYAKS, {"min_rating": 4}),
        ("find kayaks sorted by price, descending", _KAYAKS, {"sort_by": "price_high_to_low"}),
        ("list the hikes, the longest first", _HIKES, {"order": "length_desc"}),
        ("list the hikes, oldest first", _HIKES, {"order": "date_asc"}),
        (
            "find cabins in Narvik, Nordland with a sauna and a boat",
            _CABINS,
            {"place": "Narvik, Nordland", "extras": ["sauna", "boat"]},
        ),
        (
            "find a lemon salad with quinoa and without walnuts that takes at most 20 minutes",
            _SALADS,
            {
                "dressing": "lemon",
                "include_ingredients": ["quinoa"],
                "exclude_ingredients": ["walnuts"],
                "max_minutes": 20,
            },
        ),
        ("show pattern P-12 in US units", _RECIPE_UNITS, {"pattern": "P-12", "units": "us"}),
        ("show us pattern P-12", _RECIPE_UNITS, {"pattern": "P-12"}),
        (
            "review the campsite with 5 stars, I would definitely stay there again",
            _REVIEW,
            {"stars": 5, "would_stay_again": True},
        ),
        (
            "review the campsite with 2 stars, I would not stay again",
            _REVIEW,
            {"stars": 2, "would_stay_again": False},
        ),
        ("request a callback to +44 7700 900123", _CALLBACK, {"phone": "+44 7700 900123"}),
        (
            "Was kostet ein 3-Kilo-Paket nach Portugal?",
            _POSTAGE,
            {"kilos": 3, "country": "PT"},
        ),
        ("add 18 euros for a taxi", _EXPENSE, {"amount": 18, "category": "transport"}),
        ("ajoute 40 euros de restaurant", _EXPENSE, {"amount": 40, "category": "eating_out"}),
        ("añade 9 euros de cine", _EXPENSE, {"amount": 9, "category": "leisure"}),
        ("report a fault: the shower", _FAULT, {"category": "plumbing"}),
        ("return R881, it is cracked", _RETURN, {"order": "R881", "reason": "damaged"}),
        ("order what is in the basket, I'll pick it up", _COLLECT, {"delivery": "collect"}),
        ("bestell den Korb, ich hole es selbst ab", _COLLECT, {"delivery": "collect"}),
        ("zeig mir die Kurse für Anfänger", _COURSES, {"level": "beginner"}),
        ("quels cours y a-t-il pour débutants ?", _COURSES, {"level": "beginner"}),
        ("welche Opern gibt es?", _SHOWS, {"genre": "opera"}),
        ("habt ihr Klavierunterricht?", _LESSONS, {"instrument": "piano"}),
        ("20 Bücherkartons bestellen", _CARTONS, {"kind": "book", "count": 20}),
        ("decline I-301", _ANSWER, {"id": "I-301", "answer": "declined"}),
        (
            "sell 20 shares of the Larkspur Fund",
            _TRADE,
            {"side": "sell", "shares": 20, "fund": "Larkspur Fund"},
        ),
        (
            "deliver it to 9 Alder Lane",
            _DELIVERY,
            {"mode": "delivery", "address": "9 Alder Lane"},
        ),
        ("trim the picture to a square", _TRIM, {"shape": "1:1"}),
        ("what's the status of the dome in Iceland?", _DOME, {"site": "B2"}),
        (
            "distance from Calshot to Yarmouth in nautical miles",
            _DISTANCE,
            {"start": "Calshot", "end": "Yarmouth", "unit": "nmi"},
        ),
        ("how many stations are there on ft8?", _MODE, {"mode": "FT8"}),
        ("sort by girth, thickest first", _SORT, {"column": "girth", "dir": "desc"}),
        ("could we check out at 2pm instead?", _CHECKOUT, {"until": "14:00"}),
        ("Dachfenster auf bitte", _ROOF, {"position": "open"}),
        ("Dachfenster zu", _ROOF, {"position": "closed"}),
        ("find me something funny", _FILMS, {"genre": "comedy"}),
        ("welcher Sandplatz ist frei?", _COURTS, {"surface": "clay"}),
        ("change the line-up to a 3-5-2", _LINE_UP, {"shape": "3-5-2"}),
        ("order a hardcover album of my photos", _ALBUM, {"cover": "hard"}),
        ("on which days is there no meal for Paul?", _MEAL, {"child": "Paul"}),
        ("test the sample for E. coli", _WATER, {"germ": "ECOLI"}),
        ("welche Nacht-Läufe gibt es?", _RUNS, {"kind": "night"}),
        ("send my luggage, the normal way", _LUGGAGE, {"speed": "standard"}),
        ("envía mi equipaje lo más rápido", _LUGGAGE, {"speed": "express"}),
    ],
)
async def test_a_choice_is_taken_as_it_is_said(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """A choice is said by the verb, by its description, by a comparison or by an hour."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]


_NOTIFY = _tool(
    "setNotifications",
    "Notifications by e-mail.",
    topic=_one_of("offers", "news"),
    enabled=_SWITCH,
)
_BULLETIN = _tool("setBulletin", "The club's bulletin.", subscribed=_SWITCH)
_FAVOURITE = _tool("setFavourite", "Favourite recipes.", recipe=_TEXT, favourite=_SWITCH)
_LAMP = _tool("setHarbourLight", "The light of the harbour.", on=_SWITCH)
_SUBTITLES = _tool("showSubtitles", "The subtitles of the film.", hints=False, visible=_SWITCH)
_JOIN = _tool(
    "joinCall", "Join a call.", code={"type": "string", "pattern": "^\\d{6}$"}, cameraOn=_SWITCH
)
_RESERVE = _tool(
    "reserveOven",
    "Reserve the oven.",
    day={"type": "string", "format": "date"},
    shareable_=_SWITCH,
)
_ROUTE = _tool("route", "Plan a route.", reads=True, to=_TEXT, avoidFerries_=_SWITCH)
_GEAR = _tool(
    "rentGear",
    "Rent gear for the hut.",
    day={"type": "string", "format": "date"},
    porter_={"type": "boolean", "description": "Whether a guide carries the gear up to the hut."},
    sameSeats_=_SWITCH,
)
_POST = _tool(
    "searchPost",
    "Search the post.",
    reads=True,
    **{"from": {"type": "string", "format": "email"}},
    isUnread_=_SWITCH,
    hasAttachment_=_SWITCH,
    stripQuotes_=_SWITCH,
)
_STARS = (
    _tool("starNote", "Star a note.", note={"type": "integer"}, starred=_SWITCH),
    _tool("deleteNote", "Delete a note.", note={"type": "integer"}),
)


@pytest.mark.parametrize(
    ("goal", "tools", "call"),
    [
        (
            "rent gear on 5 May 2027, and a guide should carry it up to the hut",
            [_GEAR],
            {"day": "2027-05-05", "porter": True},
        ),
        (
            "rent gear on 5 May 2027, we do not need the same seats",
            [_GEAR],
            {"day": "2027-05-05", "sameSeats": False},
        ),
        (
            "search the unread post from ida@mail.example that has an attachment",
            [_POST],
            {"from": "ida@mail.example", "isUnread": True, "hasAttachment": True},
        ),
        (
            "I don't want to get any more offers by e-mail",
            [_NOTIFY],
            {"topic": "offers", "enabled": False},
        ),
        (
            "ich möchte keine Angebote mehr bekommen",
            [_NOTIFY],
            {"topic": "offers", "enabled": False},
        ),
        ("no quiero más ofertas", [_NOTIFY], {"topic": "offers", "enabled": False}),
        ("je ne veux plus d'offres", [_NOTIFY], {"topic": "offers", "enabled": False}),
        ("stop sending me the bulletin", [_BULLETIN], {"subscribed": False}),
        (
            "mark Plum Cake as a favourite",
            [_FAVOURITE],
            {"recipe": "Plum Cake", "favourite": True},
        ),
        (
            "remove Plum Cake from the favourites",
            [_FAVOURITE],
            {"recipe": "Plum Cake", "favourite": False},
        ),
        ("turn on the subtitles", [_SUBTITLES], {"visible": True}),
        ("turn the subtitles off", [_SUBTITLES], {"visible": False}),
        ("the harbour light is off, turn it back on", [_LAMP], {"on": True}),
        ("join 482913 with the camera off", [_JOIN], {"code": "482913", "cameraOn": False}),
        (
            "reserve the oven for tomorrow, I can share it",
            [_RESERVE],
            {"day": "2026-11-23", "shareable": True},
        ),
        ("a route to Ulva with ferries", [_ROUTE], {"to": "Ulva", "avoidFerries": False}),
        ("a route to Ulva without ferries", [_ROUTE], {"to": "Ulva", "avoidFerries": True}),
    ],
)
async def test_a_switch_is_turned_as_it_is_said(
    goal: str, tools: Sequence[Mapping[str, Any]], call: Mapping[str, Any]
) -> None:
    """A switch is turned by the verb, by `off` beside it, or by what is not wanted any more."""
    outcome = await follow(goal, bindings_from(tools), lambda *_: {})
    assert outcome.calls == [(tools[0]["name"], call)]


async def test_a_thing_that_is_deleted_is_not_switched_off() -> None:
    """`delete` turns off only what the verb says all of."""
    outcome = await follow("delete note 7", bindings_from(_STARS), lambda *_: {})
    assert outcome.calls == [("deleteNote", {"note": 7})]


_CRATE = _tool(
    "orderCrate",
    "Order a crate of fruit regularly.",
    size=_one_of("small", "large"),
    rhythm=_one_of("weekly", "every_2_weeks", "monthly"),
    without_={"type": "array", "items": _TEXT},
)
_KISTE = _tool(
    "kiste_bestellen",
    "Eine Obstkiste regelmäßig bestellen.",
    takt=_one_of("taeglich", "woechentlich"),
)
_CLASS = _tool("joinClass", "Join a class.", which=_one_of("bow_making", "rope_work"))
_SHIFT = _tool(
    "moveMoney",
    "Move money between own accounts.",
    from_account=_one_of("giro", "savings"),
    to_account=_one_of("giro", "savings"),
    amount={"type": "number"},
)
_WARM = _tool(
    "warmSeat", "Warm a seat.", seat=_one_of("skipper", "guest"), level={"type": "integer"}
)
_HUTS = _tool("searchHuts", "Search huts.", reads=True, pets_=_SWITCH, sauna_=_SWITCH)
_COURSE = _tool(
    "listRopeCourses", "List the rope courses.", reads=True, kind_=_one_of("family", "night")
)
_CABIN = _tool("openRoom", "Open a room.", room=_one_of("cabin_a", "cabin_b", "galley"))


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        (
            "order a large crate every other week, but no figs in it",
            _CRATE,
            {"size": "large", "rhythm": "every_2_weeks", "without": ["figs"]},
        ),
        ("une caisse de fruits une fois par jour", _KISTE, {"takt": "taeglich"}),
        ("I want to join the bowmaking class", _CLASS, {"which": "bow_making"}),
        (
            "bitte 200 Euro vom Girokonto aufs Sparkonto",
            _SHIFT,
            {"from_account": "giro", "to_account": "savings", "amount": 200},
        ),
        ("warm the skipper's seat, level 2", _WARM, {"seat": "skipper", "level": 2}),
        ("search huts with a sauna where I can bring my dog", _HUTS, {"pets": True, "sauna": True}),
        ("open cabin room B", _CABIN, {"room": "cabin_b"}),
        ("welche Familienparcours gibt es?", _COURSE, {"kind": "family"}),
    ],
)  # fmt: skip
async def test_a_choice_is_meant_by_words_that_are_near_it(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """A rhythm, one word for two, a part of a compound, an owner, and a kind of what is asked."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]
