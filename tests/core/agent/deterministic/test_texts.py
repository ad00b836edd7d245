"""Which words of a goal become a text, a name or a message, and which do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_TEXT: Mapping[str, Any] = {"type": "string"}


def _tool(
    name: str, description: str, /, *, reads: bool = False, **parameters: Any
) -> dict[str, Any]:
    """Return a tool; parameters whose names end in `_` are optional."""
    return {
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": {key.rstrip("_"): value for key, value in parameters.items()},
            "required": [key for key in parameters if not key.endswith("_")],
        },
        "annotations": {"readOnlyHint": True} if reads else {},
    }


_KIOSKS = _tool("findKiosks", "Find kiosks near a place.", reads=True, near=_TEXT)
_TRAMS = _tool("nextTrams", "The next trams at a stop.", reads=True, stop=_TEXT, line_=_TEXT)
_HOURS = _tool(
    "logHours", "Log hours of work for a client.", client=_TEXT, hours={"type": "number"}
)
_RENEW = _tool("renewDomain", "Renew a domain.", domain=_TEXT)
_DUTY = _tool("checkDuty", "Duty for parcels to a country.", reads=True, country=_TEXT)
_BOATS = _tool(
    "searchBoats",
    "Search the boats.",
    reads=True,
    query_=_TEXT,
    maxKm_={"type": "number", "description": "Distance in km"},
)
_SOUPS = _tool(
    "searchSoups",
    "Search the soups.",
    reads=True,
    query_=_TEXT,
    maxMinutes_={"type": "integer"},
)
_COMMENT = _tool(
    "addComment", "Add a comment to a ticket.", ticketId={"type": "integer"}, text=_TEXT
)
_POST = _tool("sendMessage", "Send a message to somebody.", to=_TEXT, text=_TEXT)
_LABELS = _tool(
    "tagRecord",
    "Add tags to a record.",
    recordId={"type": "integer"},
    tags={"type": "array", "items": _TEXT},
)
_IATA = {"type": "string", "pattern": "^[A-Z]{3}$"}
_FARES = _tool(
    "searchFares", "Search fares.", reads=True,
    origin=_IATA | {"description": "Airport of departure"},
    destination=_TEXT | {"description": "IATA code of the city or airport"},
)  # fmt: skip
_BOARD = _tool(
    "showBoard", "Show the departures at airports.", reads=True,
    airports_={"type": "array", "items": _IATA}, airlines_={"type": "array", "items": _TEXT | {"description": "IATA code of the airline"}},
)  # fmt: skip
_LOUNGE = _tool("findLounge", "Find a lounge.", reads=True, airport=_TEXT)
_DOG = _tool("deregisterDog", "Deregister a dog.", tagNo={"type": "integer"})
_SHIPPING = _tool("quoteDelivery", "What a delivery costs.", reads=True, postcode=_TEXT)
_PATHS = _tool("showPath", "Show a path for hikers.", reads=True, path=_TEXT)


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        ("find kiosks near the harbour", _KIOSKS, {"near": "harbour"}),
        ("find kiosks near Lisbon", _KIOSKS, {"near": "Lisbon"}),
        ("next trams at Fennel Square", _TRAMS, {"stop": "Fennel Square"}),
        ("next trams from Rosenhof", _TRAMS, {"stop": "Rosenhof"}),
        ("log 3 hours for Tarnby", _HOURS, {"client": "Tarnby", "hours": 3}),
        ("renew quince.example", _RENEW, {"domain": "quince.example"}),
        ("what is the duty for parcels to Spain?", _DUTY, {"country": "Spain"}),
        ("what is the duty for parcels to the US?", _DUTY, {"country": "US"}),
        ("was kostet der Zoll für Pakete nach Österreich?", _DUTY, {"country": "Austria"}),
        ("search rowing boats at most 20 km away", _BOATS, {"query": "rowing", "maxKm": 20}),
        (
            "suche Kajaks, höchstens 20 km entfernt",
            _BOATS,
            {"query": "Kajaks", "maxKm": 20},
        ),
        (
            "find a lentil soup that takes less than 20 minutes",
            _SOUPS,
            {"query": "lentil", "maxMinutes": 20},
        ),
    ],
)
async def test_names_are_names(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """A place or a person is what is written like one, or introduced as one."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        ("search fares from Lisbon to Heathrow", _FARES, {"origin": "LIS", "destination": "LHR"}),
        ("Suche Tarife von Köln nach Mailand", _FARES, {"origin": "CGN", "destination": "MIL"}),
        ("cherche des tarifs de Genève à Los Angeles", _FARES, {"origin": "GVA", "destination": "LAX"}),
        ("busca tarifas de BIO a Nueva York", _FARES, {"origin": "BIO", "destination": "NYC"}),
        ("show the board of Gatwick, LCY and Stansted", _BOARD, {"airports": ["LGW", "LCY", "STN"]}),
        ("show the board for Aer Lingus or Ryanair at Dublin", _BOARD, {"airports": ["DUB"], "airlines": ["EI", "FR"]}),
        ("find a lounge in Dublin", _LOUNGE, {"airport": "Dublin"}),
    ],
)  # fmt: skip
async def test_airports_and_airlines_have_codes(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """A parameter that takes IATA codes gets the code of the airport, city or airline that is named."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]


@pytest.mark.parametrize(
    ("goal", "tool", "asked"),
    [
        ("find kiosks for the bike that I borrowed", _KIOSKS, "near"),
        ("when do the trams run?", _TRAMS, "stop"),
        ("log 3 hours of welding", _HOURS, "client"),
        ("renew the certificate of my domain", _RENEW, "domain"),
    ],
)
async def test_a_common_word_is_nobodys_name(
    goal: str, tool: Mapping[str, Any], asked: str
) -> None:
    """Who or where it is, is asked for sooner than taken from words that say something else."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == []
    assert outcome.asked in ([asked], [])


@pytest.mark.parametrize(
    ("goal", "tool", "text"),
    [
        ("comment on 31 that the hinges squeak in winter", _COMMENT, "the hinges squeak in winter"),
        ("add a comment to ticket 31 saying the hinges squeak", _COMMENT, "the hinges squeak"),
        ("add a comment to ticket 31 saying that the hinges squeak. thanks", _COMMENT, "the hinges squeak"),
        ("send Ida a message that says the ferry is late", _POST, "the ferry is late"),
        ("envoie un message à Ida avec le texte le bac est en retard", _POST, "le bac est en retard"),
        ("manda un mensaje a Ida diciendo que el barco llega tarde", _POST, "el barco llega tarde"),
        ("schick Ida eine Nachricht mit dem Text die Fähre ist spät dran", _POST, "die Fähre ist spät dran"),
    ],
)  # fmt: skip
async def test_a_message_goes_on_to_the_end_of_its_sentence(
    goal: str, tool: Mapping[str, Any], text: str
) -> None:
    """What is behind `saying` is said, whatever else its words may mean."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert [arguments["text"] for _, arguments in outcome.calls] == [text]


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        ("tag 1241 with lime and plaster", _LABELS, {"recordId": 1241, "tags": ["lime", "plaster"]}),
        ("bitte Hundemarke 4417 abmelden", _DOG, {"tagNo": 4417}),
        ("how much does delivery to 20457 cost?", _SHIPPING, {"postcode": "20457"}),
        ("how much does delivery to LS6 2AB cost?", _SHIPPING, {"postcode": "LS6 2AB"}),
        ("montre le Chemin des Ormes", _PATHS, {"path": "Chemin des Ormes"}),
        ("tell the garden channel that the hose leaks", _POST, {"to": "garden", "text": "the hose leaks"}),
    ],
)  # fmt: skip
async def test_ids_and_names_are_whole(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """A number beside a list, a postcode and a name with small words go where they belong."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]


_CLOTH = _tool(
    "searchCloth",
    "Search the cloth.",
    reads=True,
    query_=_TEXT,
    colour_=_TEXT,
    maxPricePerMetre_={"type": "number", "description": "EUR"},
)
_RECIPES = _tool("findRecipes", "Find recipes.", reads=True, title_=_TEXT, ingredient_=_TEXT)
_MEETING = _tool(
    "addMeeting", "Add a meeting.", title=_TEXT, date={"type": "string", "format": "date"}
)
_TICKET = _tool(
    "createTicket",
    "Create a ticket.",
    title=_TEXT,
    assignee_=_TEXT,
    priority_={"enum": ["low", "high"]},
)
_DEFECT = _tool("reportDefect", "Report a defect in the house.", description=_TEXT, room_=_TEXT)
_PATTERN = _tool("savePattern", "Save the pattern.", name=_TEXT)
_PHONES = _tool("findPhone", "Find a phone by its model.", reads=True, model=_TEXT)
_INTAKE = _tool(
    "remindIntake",
    "Remind of a medicine.",
    medicine=_TEXT,
    time={"type": "string", "description": "HH:MM"},
)


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        (
            "search linen in green, not more than 30 a metre",
            _CLOTH,
            {"query": "linen", "colour": "green", "maxPricePerMetre": 30},
        ),
        (
            "Muéstrame telas en verde hasta 40 € el metro",
            _CLOTH,
            {"colour": "verde", "maxPricePerMetre": 40},
        ),
        ("find recipes with celeriac", _RECIPES, {"ingredient": "celeriac"}),
        (
            "add a meeting: lunch with Olga on 3 December",
            _MEETING,
            {"title": "lunch with Olga", "date": "2026-12-03"},
        ),
        (
            "create a ticket: renew the TLS certificate, high priority",
            _TICKET,
            {"title": "renew the TLS certificate", "priority": "high"},
        ),
        (
            "create a ticket: the search finds nothing. priority high",
            _TICKET,
            {"title": "the search finds nothing", "priority": "high"},
        ),
        ("guarda el patrón como Gorro de verano", _PATTERN, {"name": "Gorro de verano"}),
        ("find the fairphone 5", _PHONES, {"model": "fairphone 5"}),
        (
            "remind me to take my insulin at 7:30",
            _INTAKE,
            {"medicine": "insulin", "time": "07:30"},
        ),
    ],
)
async def test_a_text_begins_and_ends_with_what_it_names(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """A kind of a parameter, a price per measure, what stands behind a colon, and `of` in a name."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]


@pytest.mark.parametrize(
    ("goal", "description"),
    [
        ("there's a defect in the hall, the lamp flickers", "there's a defect in the hall, the lamp flickers"),
        ("we have a defect in the hall, can you report that", "we have a defect in the hall"),
        ("Der Defekt ist im Flur, die Lampe flackert, bitte melden", "Der Defekt ist im Flur, die Lampe flackert"),
    ],
)  # fmt: skip
async def test_a_statement_is_the_description_of_a_report(goal: str, description: str) -> None:
    """What is wrong is said whole, and not only its first noun."""
    outcome = await follow(goal, bindings_from([_DEFECT]), lambda *_: {})
    assert [call[1].get("description") for call in outcome.calls] == [description]


_ROUTE = _tool("planRide", "Plan a ride.", reads=True, pickup=_TEXT, destination=_TEXT)
_REFUSE = _tool("wasteDays", "Days on which waste is collected.", reads=True, street=_TEXT)
_FOUND = _tool(
    "listFound",
    "List what was found.",
    reads=True,
    place=_TEXT,
    since_={"type": "string", "format": "date"},
)
_WEIGH = _tool(
    "saveWeight",
    "Save what a pet weighs.",
    pet=_TEXT,
    kg={"type": "number", "description": "Weight in kg"},
)


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        (
            "plan a ride from the Crown Hotel to 14 Alder Street",
            _ROUTE,
            {"pickup": "Crown Hotel", "destination": "14 Alder Street"},
        ),
        (
            "plan a ride from 3 Quarry Lane to the Corn Exchange",
            _ROUTE,
            {"pickup": "3 Quarry Lane", "destination": "Corn Exchange"},
        ),
        ("find kiosks near the harbour in Calshot", _KIOSKS, {"near": "harbour in Calshot"}),
        ("suche Kioske beim Bahnhof in Celle", _KIOSKS, {"near": "Bahnhof in Celle"}),
        ("wann wird der Müll in der Straße Am Anger abgeholt?", _REFUSE, {"street": "Am Anger"}),
        ("quels jours pour les déchets rue des Tilleuls ?", _REFUSE, {"street": "rue des Tilleuls"}),
        (
            "list what was found at the pool in Tarnow since the first of August",
            _FOUND,
            {"place": "pool in Tarnow", "since": "2026-08-01"},
        ),
        ("Luna weighs 4.2 kg now", _WEIGH, {"pet": "Luna", "kg": 4.2}),
        ("Luna pesa ahora 4,2 kg", _WEIGH, {"pet": "Luna", "kg": 4.2}),
    ],
)  # fmt: skip
async def test_a_place_is_called_by_more_than_its_name(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """The number of a house, the kind of a place, and a street with its article belong to it."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]


_MIX = _tool("saveMix", "Save a mix of songs.", name=_TEXT, loudness={"enum": ["soft", "loud"]})
_PACK = _tool(
    "packItems", "Put things on the packing list.", items={"type": "array", "items": _TEXT}
)
_TERM = _tool("addTerm", "Add a term to the glossary.", term=_TEXT, meaning_=_TEXT)
_WALK = _tool("logWalk", "Log a walk.", walk=_TEXT, minutes={"type": "integer"})
_OFFERS = _tool(
    "searchOffers",
    "Search the shop.",
    reads=True,
    query=_TEXT,
    sort_={"enum": ["price_asc", "price_desc", "newest"]},
)
_POSTS = _tool("watchPosts", "Get mail about open posts.", keywords=_TEXT, location_=_TEXT)
_THANK = _tool(
    "thankDriver",
    "Rate a driver.",
    driverName={"type": "string", "description": "User name of the driver"},
    stars={"type": "integer"},
)
_WEAR = _tool("reserveGarment", "Reserve a garment.", garment=_TEXT, size=_TEXT)
_LOST = _tool(
    "reportLost",
    "Report a lost thing.",
    thing=_TEXT,
    email={"type": "string", "format": "email"},
    place_=_TEXT,
)
_GO = _tool("startRoute", "Start the navigation.", destination=_TEXT)
_FLATS = _tool(
    "searchFlats",
    "Search flats.",
    reads=True,
    district_=_TEXT,
    rooms_min_={"type": "number"},
)


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        ("save it as Rosa's evening, soft", _MIX, {"name": "Rosa's evening", "loudness": "soft"}),
        ("pack a head torch and a phone charger", _PACK, {"items": ["head torch", "phone charger"]}),
        ("add the term fathom, it means six feet", _TERM, {"term": "fathom", "meaning": "six feet"}),
        ("log a walk: I did the mirror pond loop in 90 minutes", _WALK, {"walk": "mirror pond loop", "minutes": 90}),
        ("search for the cheapest leaf blower", _OFFERS, {"query": "leaf blower", "sort": "price_asc"}),
        ("mail me about teaching posts in graz", _POSTS, {"keywords": "teaching", "location": "graz"}),
        ("five stars for otterfan42", _THANK, {"driverName": "otterfan42", "stars": 5}),
        ("start a route to the main station in Linz", _GO, {"destination": "main station in Linz"}),
        ("search flats in Lend, 3 rooms minimum", _FLATS, {"district": "Lend", "rooms_min": 3}),
        ("reserve the Fjell anorak in L", _WEAR, {"garment": "Fjell anorak", "size": "L"}),
        ("reserve the Fjell sandals in 43", _WEAR, {"garment": "Fjell sandals", "size": "43"}),
        ("report a lost scarf, write to ana@mail.example", _LOST, {"thing": "scarf", "email": "ana@mail.example"}),
    ],
)  # fmt: skip
async def test_a_name_is_as_long_as_it_is_said(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """What somebody owns, verbs that are nouns, and no word more than it has."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]


_EVENT = _tool(
    "createEntry", "Creates an entry in the diary.", title=_TEXT, day={"type": "string", "format": "date"},
    description_=_TEXT | {"description": "Agenda or other notes"},
)  # fmt: skip
_JOB = _tool(
    "createJob", "Creates a job.", title=_TEXT, details_=_TEXT,
    steps_={"type": "array", "items": {"type": "object", "properties": {"title": _TEXT}, "required": ["title"]}},
)  # fmt: skip
_LETTER = _tool(
    "sendLetter", "Sends a letter.", subject=_TEXT,
    to={"type": "array", "items": {"type": "string", "format": "email"}},
    files_={"type": "array", "items": {"type": "object", "properties": {"fileId": _TEXT, "shownName": _TEXT}, "required": ["fileId"]}},
)  # fmt: skip
_WIRE = _tool(
    "createPayment", "Makes a payment.", amount={"type": "number"},
    recipient={
        "type": "object", "required": ["name"],
        "properties": {"name": _TEXT, "bic": {"type": ["string", "null"], "description": "BIC, or null"}},
    },
)  # fmt: skip
_GUEST = _tool(
    "registerGuest", "Registers a guest.", firstName=_TEXT, lastName=_TEXT, company_=_TEXT,
    phone_=_TEXT | {"description": "Phone number with country code"},
)  # fmt: skip

_BIKE = _tool(
    "estimatePrice", "Estimates the price of a motorcycle.", reads=True, make=_TEXT,
    model=_TEXT | {"description": "Model without the make"}, year={"type": "integer"},
)  # fmt: skip
_VAN = _tool(
    "requestVan", "Requests a van.",
    pickup={"type": "object", "properties": {"address": _TEXT}, "required": ["address"]},
    dropoff={"type": "object", "properties": {"address": _TEXT}, "required": ["address"]},
    halts_={"type": "array", "items": {"type": "object", "properties": {"address": _TEXT}, "required": ["address"]}},
)  # fmt: skip
_CLINICS = _tool("findClinics", "Finds clinics.", reads=True, location=_TEXT)
_HOME = _tool(
    "saveHome", "Saves a home.", street=_TEXT, city=_TEXT,
    state_=_TEXT, postalCode_=_TEXT, instructions_=_TEXT,
)  # fmt: skip
_GIVE = _tool(
    "handOver", "Hands a pass over to somebody.", passNumber={"type": "integer"},
    recipient={"type": "object", "properties": {"name": _TEXT}, "required": ["name"]},
)  # fmt: skip
_CARD = _tool(
    "createCard", "Creates a card.", title=_TEXT, isbn_=_TEXT, folder_=_TEXT,
    labels_={"type": "array", "items": _TEXT},
)  # fmt: skip
_CREW = _tool(
    "bookCruise", "Books a cruise.", cruiseNumber={"type": "integer"},
    travellers={"type": "array", "items": {"type": "object", "required": ["fullName", "dateOfBirth"], "properties": {"fullName": _TEXT, "dateOfBirth": {"type": "string", "format": "date"}}}},
)  # fmt: skip
_STEWS = _tool(
    "searchStews", "Searches the stews.", reads=True, dishName_=_TEXT,
    minFibre_={"type": "number", "description": "Fibre in grams"},
)  # fmt: skip
_REELS = _tool("searchReels", "Searches the reels.", reads=True, query=_TEXT)
_MOVE = _tool("moveFile", "Move a file to a folder.", file=_TEXT, folder=_TEXT)
_HALL = _tool(
    "rentHall", "Rent the hall.", day={"type": "string", "format": "date"},
    guests_={"type": "integer"}, occasion_=_TEXT,
)  # fmt: skip
_RATE = _tool("rateBoat", "Rate a boat.", boatId={"type": "integer"}, stars={"type": "integer"}, comment_=_TEXT)  # fmt: skip
_CHORE = _tool("addChore", "Add a chore.", task=_TEXT, due_={"type": "string", "format": "date"})


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        (
            "estimate the price of a Triumph Speed Twin from 2019",
            _BIKE,
            {"make": "Triumph", "model": "Speed Twin", "year": 2019},
        ),
        (
            "request a van from 12 Birch Lane to 7 Station Road",
            _VAN,
            {"pickup": {"address": "12 Birch Lane"}, "dropoff": {"address": "7 Station Road"}},
        ),
        ("find clinics in Salem, OR", _CLINICS, {"location": "Salem, OR"}),
        (
            "find clinics near 30 Lake Road, Boise, ID",
            _CLINICS,
            {"location": "30 Lake Road, Boise, ID"},
        ),
        (
            "save my home in the list: 41 Fern Street, Dover, DE 19901",
            _HOME,
            {"street": "41 Fern Street", "city": "Dover", "state": "DE", "postalCode": "19901"},
        ),
        (
            "hand over pass 81 for the lift to Ida Holm",
            _GIVE,
            {"passNumber": 81, "recipient": {"name": "Ida Holm"}},
        ),
        (
            "create a card 'The Long Thaw' with the labels 'history' and 'snow'",
            _CARD,
            {"title": "The Long Thaw", "labels": ["history", "snow"]},
        ),
        (
            "book cruise 12 for Mia Holt, born on 3 May 1990",
            _CREW,
            {
                "cruiseNumber": 12,
                "travellers": [{"fullName": "Mia Holt", "dateOfBirth": "1990-05-03"}],
            },
        ),
        (
            "search for barley stews with at least 9 grams of fibre per plate",
            _STEWS,
            {"dishName": "barley", "minFibre": 9},
        ),
        ("create a card 'The Long Thaw'", _CARD, {"title": "The Long Thaw"}),
        (
            "rent the hall on 4 May for a book launch with 80 guests",
            _HALL,
            {"day": "2027-05-04", "guests": 80, "occasion": "book launch"},
        ),
        (
            "rate boat 12 with 4 stars - nice but we waited ages for the oars",
            _RATE,
            {"boatId": 12, "stars": 4, "comment": "nice but we waited ages for the oars"},
        ),
        (
            "add a chore: label the jars of jam, due on 4 May",
            _CHORE,
            {"task": "label the jars of jam", "due": "2027-05-04"},
        ),
        ("search for wool reels, sorted by price", _REELS, {"query": "wool"}),
        ("search the reels for cream for dry skin", _REELS, {"query": "cream for dry skin"}),
        (
            "move /drafts/poem.txt to the folder /poems/2027",
            _MOVE,
            {"file": "/drafts/poem.txt", "folder": "/poems/2027"},
        ),
        ("search the reels for Anna about whales", _REELS, {"query": "whales"}),
        (
            "create a short entry 'Plumber' on 4 May that takes all morning",
            _EVENT,
            {"title": "Plumber", "day": "2027-05-04"},
        ),
        (
            "create a job 'Paint the hall' with the details 'two coats'",
            _JOB,
            {"title": "Paint the hall", "details": "two coats"},
        ),
        (
            "create a job 'Paint the hall' with the steps 'Buy paint' and 'Cover the floor'",
            _JOB,
            {
                "title": "Paint the hall",
                "steps": [{"title": "Buy paint"}, {"title": "Cover the floor"}],
            },
        ),
        (
            "send a letter to mia@post.example with the subject 'Spare keys'",
            _LETTER,
            {"subject": "Spare keys", "to": ["mia@post.example"]},
        ),
        (
            "make an urgent payment of 40 euros to Nora Falk",
            _WIRE,
            {"amount": 40, "recipient": {"name": "Nora Falk"}},
        ),
        (
            "register Ines Alder from Brightwater as a guest",
            _GUEST,
            {"firstName": "Ines", "lastName": "Alder", "company": "Brightwater"},
        ),
    ],
)
async def test_each_text_has_its_place(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """A quoted text is the name before it is anything else, and a person's name is written like one."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]


_ENTRY = _tool(
    "editEntry", "Changes an entry of the time sheet.",
    entryId={"type": "integer"}, hours_={"type": "number"}, billable_={"type": "boolean"},
)  # fmt: skip
_DAMAGE = _tool(
    "report-damage", "Report damage to a canoe.",
    canoeId={"type": "string", "pattern": "^C-\\d+$"}, happenedOn={"type": "string", "format": "date"},
    description=_TEXT, cost_={"type": "number", "description": "In euros"},
)  # fmt: skip
_OFFER = _tool(
    "makeOffer", "Offer a price for a canoe.",
    canoeId={"type": "string", "pattern": "^C-\\d+$"}, price={"type": "number"},
    validUntil_={"type": "string", "format": "date"}, message_=_TEXT,
)  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "tool", "arguments"),
    [
        (
            "change entry 9131 to 4.5 hours and set it to not billable",
            _ENTRY,
            {"entryId": 9131, "hours": 4.5, "billable": False},
        ),
        (
            "report damage to canoe C-12: on 3 May the seat was torn off, and the repair will cost 60 euros",
            _DAMAGE,
            {"canoeId": "C-12", "happenedOn": "2026-05-03", "description": "seat", "cost": 60},
        ),
        (
            "offer 500 euros for the canoe C-12, valid until 3 May 2027, with the message 'I can pay cash this week.'; I do not need a receipt",
            _OFFER,
            {"canoeId": "C-12", "price": 500, "validUntil": "2027-05-03", "message": "I can pay cash this week."},
        ),
    ],
)  # fmt: skip
async def test_what_follows_completes_a_call(
    goal: str, tool: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """A clause that orders nothing else gives the call before it what it says."""
    tools = bindings_from([_ENTRY, _DAMAGE, _OFFER])
    outcome = await follow(goal, tools, lambda *_: {})
    assert outcome.calls == [(tool["name"], arguments)]
