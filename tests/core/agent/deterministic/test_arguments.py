"""What goals give for the parameters of small tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from, follow

_TEXT: Mapping[str, Any] = {"type": "string"}
_COUNT: Mapping[str, Any] = {"type": "integer"}


def _tool(
    name: str, description: str, /, *, reads: bool = False, **parameters: Any
) -> dict[str, Any]:
    """Return a tool; parameters whose names end in `_` are optional."""
    schema = {
        "type": "object",
        "properties": {key.rstrip("_"): value for key, value in parameters.items()},
        "required": [key for key in parameters if not key.endswith("_")],
    }
    hints = {"readOnlyHint": True} if reads else {}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": hints}


_MUTE = _tool("mute", "Mute a player for some minutes.", player=_TEXT, minutes=_COUNT)
_ARCHIVE = (
    _tool("mail-archive", "Archive a thread.", thread=_TEXT),
    _tool("mail-restore", "Restore a thread from the archive.", thread=_TEXT),
    _tool("mail-search", "Search the mail.", reads=True, text=_TEXT),
)
_TICKETS = _tool("buyTickets", "Buy tickets for an event.", eventId=_TEXT, quantity=_COUNT)
_TASK = _tool(
    "createTask", "Create a task.", title=_TEXT, due_={"type": "string", "format": "date"}
)
_CONTACT = _tool("addContact", "Add a contact.", name=_TEXT, company_=_TEXT)
_GIVE = _tool(
    "donate",
    "Donate to a project.",
    amount={"type": "number"},
    frequency_={"type": "string", "enum": ["once", "monthly", "yearly"]},
)
_CAKES = _tool(
    "listCakes",
    "List the cakes.",
    reads=True,
    glutenFree_={"type": "boolean"},
)
_EPISODE = _tool("play", "Play a series.", series=_TEXT, season=_COUNT, episode=_COUNT)
_QUESTION = _tool(
    "addQuestion",
    "Add a question to a survey.",
    text=_TEXT,
    options={"type": "array", "items": {"type": "string"}},
)
_REMOVE = _tool("removeQuestion", "Remove a question.", surveyId=_TEXT, position=_COUNT)
_PORT = _tool(
    "openPort",
    "Open a port of a server.",
    server={"type": "string", "description": "Name of the server"},
    port=_COUNT,
    source_={"type": "string", "description": "IP address or network that may come in"},
)
_SERVER = _tool(
    "createServer",
    "Create a server.",
    name=_TEXT,
    image={"type": "string", "enum": ["debian-12", "ubuntu-24.04"]},
)
_POWER = _tool(
    "serverPower",
    "Start or stop a server.",
    server=_TEXT,
    action={"type": "string", "enum": ["start", "stop", "restart"]},
)
_RECIPES = _tool(
    "searchRecipes",
    "Search recipes.",
    reads=True,
    query=_TEXT,
    exclude_={"type": "array", "items": {"type": "string"}},
)


@pytest.mark.parametrize(
    ("goal", "tools", "call"),
    [
        ("mute brindle for ten minutes", [_MUTE], ("mute", {"player": "brindle", "minutes": 10})),
        ("archive th-12", _ARCHIVE, ("mail-archive", {"thread": "th-12"})),
        (
            "create a task to water the ferns by 1 December 2026",
            [_TASK],
            ("createTask", {"title": "water the ferns", "due": "2026-12-01"}),
        ),
        (
            "add a contact: Jan Moser from Hartwell",
            [_CONTACT],
            ("addContact", {"name": "Jan Moser", "company": "Hartwell"}),
        ),
        (
            "play season 2 episode 5 of k-377",
            [_EPISODE],
            ("play", {"series": "k-377", "season": 2, "episode": 5}),
        ),
        (
            'add the question "Which colour?" with the options red, light blue and green',
            [_QUESTION],
            ("addQuestion", {"text": "Which colour?", "options": ["red", "light blue", "green"]}),
        ),
        (
            "remove the third question of sv-28",
            [_REMOVE],
            ("removeQuestion", {"surveyId": "sv-28", "position": 3}),
        ),
        (
            "open port 8080 on web-1 for 198.51.100.0/24",
            [_PORT],
            ("openPort", {"server": "web-1", "port": 8080, "source": "198.51.100.0/24"}),
        ),
        (
            "create a server called mail-2 with Ubuntu",
            [_SERVER],
            ("createServer", {"name": "mail-2", "image": "ubuntu-24.04"}),
        ),
        ("shut down web-1", [_POWER], ("serverPower", {"server": "web-1", "action": "stop"})),
        ("donate 20 euros a month", [_GIVE], ("donate", {"amount": 20, "frequency": "monthly"})),
        ("which gluten-free cakes do you have?", [_CAKES], ("listCakes", {"glutenFree": True})),
        (
            "search parsnip recipes without cream",
            [_RECIPES],
            ("searchRecipes", {"query": "parsnip", "exclude": ["cream"]}),
        ),
    ],
)
async def test_the_words_of_a_goal_become_arguments(
    goal: str, tools: Sequence[Mapping[str, Any]], call: tuple[str, Mapping[str, Any]]
) -> None:
    """A value goes to the parameter that its words are for."""
    outcome = await follow(goal, bindings_from(tools), lambda *_: {})
    assert outcome.calls == [call]


@pytest.mark.parametrize(
    "goal", ["donate 20 euros to the Fernhill Trust", "donate 20 euros on 3 December"]
)
async def test_a_change_that_leaves_a_name_or_a_value_asks(goal: str) -> None:
    """What a call does not take may say that another one is meant."""
    outcome = await follow(goal, bindings_from([_GIVE]), lambda *_: {})
    assert (outcome.calls, outcome.asked) == ([], ["tool"])


async def test_a_percentage_is_no_length() -> None:
    """`15 percent` is not 15 mm."""
    border = _tool("addBorder", "Put a border around the image.", width_mm={"type": "number"})
    goal = "add a border, 15 percent"
    assert not (await follow(goal, bindings_from([border]), lambda *_: {})).calls


async def test_a_code_of_two_numbers_is_read_by_its_pattern() -> None:
    """`118-420` is an article where the pattern says so, and no span of numbers."""
    sku = {"type": "string", "description": "Article number", "pattern": r"^\d{3}-\d{3}$"}
    tool = _tool("addToCart", "Put an article into the cart.", sku=sku, quantity=_COUNT)
    outcome = await follow("put 5 of 118-420 into the cart", bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [("addToCart", {"sku": "118-420", "quantity": 5})]


async def test_a_number_that_counts_is_no_id() -> None:
    """`4 tickets` says how many; the event is asked for."""
    outcome = await follow("buy 4 tickets", bindings_from([_TICKETS]), lambda *_: {})
    assert outcome.calls == []
    assert outcome.asked == ["eventId"]


async def test_it_is_what_the_call_before_was_made_with() -> None:
    """`it` is the shipment that was tracked, whatever its answer lists."""
    tools = [
        _tool("trackShipment", "Track a shipment.", reads=True, shipmentId=_TEXT),
        _tool("cancelShipment", "Cancel a shipment.", shipmentId=_TEXT),
    ]
    answer = {"shipmentId": "SH-1", "where": "depot"}
    outcome = await follow("track SH-44 and cancel it", bindings_from(tools), lambda *_: answer)
    assert [arguments for _, arguments in outcome.calls] == [{"shipmentId": "SH-44"}] * 2


async def test_a_reason_before_an_order_is_no_statement() -> None:
    """`My phone was stolen` says why; the order is followed without a question."""
    reasons = {"type": "string", "enum": ["lost", "stolen", "broken"]}
    tool = _tool("blockSim", "Block a SIM card.", reason=reasons)
    goal = "my phone was stolen, block the sim card"
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [("blockSim", {"reason": "stolen"})]


async def test_a_question_why_calls_nothing() -> None:
    """No search answers why something is called as it is."""
    goal = "why is a recipe called a recipe?"
    outcome = await follow(goal, bindings_from([_RECIPES]), lambda *_: {})
    assert outcome.calls == []


async def test_an_id_is_looked_up_by_the_clause_that_names_it() -> None:
    """A second clause that says why is not searched for."""
    search = _tool("mail-search", "Search the mail.", reads=True, sender_=_TEXT, subject_=_TEXT)
    show = _tool("showThread", "Show a thread of mails.", reads=True, threadId=_TEXT)
    found = {"threads": [{"threadId": "th-9", "sender": "Ida Falk", "subject": "Choir"}]}
    outcome = await follow(
        "show the thread from Ida Falk, my phone keeps buzzing",
        bindings_from([search, show]),
        lambda name, _: found if name == "mail-search" else {},
    )
    assert outcome.calls == [
        ("mail-search", {"sender": "Ida Falk"}),
        ("showThread", {"threadId": "th-9"}),
    ]


_DAY: Mapping[str, Any] = {"type": "string", "format": "date"}
_BOUNDS: Mapping[str, Any] = {
    "type": "object",
    "properties": {"min": {"type": "number"}, "max": {"type": "number"}},
}
_CLOCK: Mapping[str, Any] = {"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$"}
_SAILINGS = _tool(
    "filterSailings",
    "Filter the sailings that are shown.",
    reads=True,
    departure_={"type": "object", "properties": {"min": _CLOCK, "max": _CLOCK}},
    price_=_BOUNDS,
    stops_={"type": "array", "items": {"type": "integer"}},
)
_TRIPS = _tool(
    "searchSailings",
    "Search for sailings between two ports.",
    reads=True,
    **{"from": _TEXT},
    to=_TEXT,
    outboundDate=_DAY,
    inboundDate_=_DAY,
    passengers_=_COUNT,
)
_DOCUMENTS = _tool(
    "moveDocuments",
    "Move documents to another folder.",
    paths={"type": "array", "items": {"type": "string", "description": "Absolute path"}},
    folder=_TEXT,
)
_CROSSING = _tool(
    "ferryFare",
    "The fare of a ferry.",
    reads=True,
    passengers=_COUNT,
    stops_={"type": "integer", "description": "Most stops; 0 means nonstop"},
)
_BOATS = _tool(
    "checkBoats",
    "Boats that are free.",
    reads=True,
    kind={"type": "string", "enum": ["rowing", "electric"]},
    start={"type": "string", "format": "date-time"},
    hours=_COUNT,
)
_HEDGES = _tool("searchPlants", "Search the plants.", reads=True, query_=_TEXT, heightCm_=_BOUNDS)
_TOPPINGS = _tool(
    "add_topping",
    "Add a topping to the pizza.",
    topping={"type": "string", "enum": ["🍄", "🌽", "🍍"]},
)
_MEALS = _tool(
    "listDishes",
    "List the dishes.",
    reads=True,
    diet_={"type": "string", "enum": ["vegan", "lactose_free"]},
    exclude_allergens_={"type": "array", "items": {"type": "string", "enum": ["nuts", "eggs"]}},
)
_TERMINALS = _tool(
    "findTrains",
    "Find freight trains.",
    reads=True,
    origin={"type": "string", "enum": ["HAM", "LYO"], "description": "HAM Hamburg, LYO Lyon"},
    destination={"type": "string", "enum": ["HAM", "LYO"], "description": "HAM Hamburg, LYO Lyon"},
)
_LOG = _tool("logWeight", "Log a weight.", weightKg={"type": "number"}, date_=_DAY)
_STAY = _tool("checkCabins", "Cabins that are free.", reads=True, arrival=_DAY, departure=_DAY)
_ROOM = _tool(
    "findRooms", "Rooms that are free.", reads=True, date=_DAY, **{"from": _CLOCK}, hours_=_COUNT
)
_TUTOR = _tool(
    "bookTutorial",
    "Book a tutorial.",
    start={"type": "string", "format": "date-time"},
    minutos={"type": "integer", "enum": [30, 45, 60]},
)
_PARCEL = _tool(
    "quoteParcel", "Price of a parcel.", reads=True, size={"type": "string", "enum": ["S", "M", "L"]}, country=_TEXT,
)  # fmt: skip
_METER = _tool("reportMileage", "Report the mileage of a car.", odometerKm=_COUNT)
_PERMIT = _tool("addPermit", "Add a parking permit.", plate=_TEXT)
_HEAD = _tool("truckOrder", "Order a truck.", address=_TEXT)
_PAID = _tool(
    "listPayments",
    "List the payments.",
    reads=True,
    counterparty_=_TEXT,
    from_=_DAY,
    to_=_DAY,
)
_CLOCKS = {"type": "object", "properties": {"min": _CLOCK, "max": _CLOCK}}
_COACHES = _tool(
    "filterCoaches", "Filter the coaches.", reads=True,
    origins_={"type": "array", "items": _TEXT}, destinations_={"type": "array", "items": _TEXT},
    departureTime_=_CLOCKS, arrivalTime_=_CLOCKS, travellers_={"type": "number"}, trip_={"type": "string", "enum": ["one-way", "return"]},
)  # fmt: skip
_CIRCULAR = _tool(
    "sendCircular", "Send a circular.", recipient_emails={"type": "array", "items": _TEXT | {"pattern": "^.+@.+$"}},
)  # fmt: skip
_SHELF = _tool("moveCrate", "Move a crate.", crateId=_COUNT, shelf=_COUNT)
_NAMES = _tool("checkIn", "Check passengers in.", names={"type": "array", "items": _TEXT})


@pytest.mark.parametrize(
    ("goal", "tool", "call"),
    [
        (
            "filter for sailings with a departure between 9 am and 5 pm",
            _SAILINGS,
            {"departure": {"min": "09:00", "max": "17:00"}},
        ),
        ("filter the sailings for a price between 30 and 80", _SAILINGS, {"price": {"min": 30, "max": 80}}),
        (
            "search sailings from Kiel to Oslo on 4 December, returning a week later, just me",
            _TRIPS,
            {"from": "Kiel", "to": "Oslo", "outboundDate": "2026-12-04", "inboundDate": "2026-12-11", "passengers": 1},
        ),
        (
            "search a sailing from Kiel to Oslo. Leaving March 3rd and returning March 10th.",
            _TRIPS,
            {"from": "Kiel", "to": "Oslo", "outboundDate": "2027-03-03", "inboundDate": "2027-03-10"},
        ),
        (
            "move /Inbox/a1.pdf and /Inbox/b2.pdf to the folder /Taxes/2026",
            _DOCUMENTS,
            {"paths": ["/Inbox/a1.pdf", "/Inbox/b2.pdf"], "folder": "/Taxes/2026"},
        ),
        ("show the fare of a nonstop ferry for one adult", _CROSSING, {"passengers": 1, "stops": 0}),
        (
            "check for an electric boat tomorrow from 2 to 5pm",
            _BOATS,
            {"kind": "electric", "start": "2026-11-23T14:00", "hours": 3},
        ),
        (
            "search hedges not taller than 80 cm",
            _HEDGES,
            {"query": "hedges", "heightCm": {"max": 80}},
        ),
        ("search hedges between 2 and 4 meters", _HEDGES, {"query": "hedges", "heightCm": {"min": 200, "max": 400}}),
        ("add corn", _TOPPINGS, {"topping": "🌽"}),
        ("list the dishes without nuts", _MEALS, {"exclude_allergens": ["nuts"]}),
        ("list the dishes without lactose", _MEALS, {"diet": "lactose_free"}),
        ("find trains from Hamburg to Lyon", _TERMINALS, {"origin": "HAM", "destination": "LYO"}),
        ("log a weight of 172 lbs", _LOG, {"weightKg": 78.02}),
        (
            "check for cabins from Saturday to Tuesday",
            _STAY,
            {"arrival": "2026-11-28", "departure": "2026-12-01"},
        ),
        (
            "find rooms this Friday 2 to 4pm",
            _ROOM,
            {"date": "2026-11-27", "from": "14:00", "hours": 2},
        ),
        (
            "book a tutorial on 1 December at 5pm, three quarters of an hour",
            _TUTOR,
            {"start": "2026-12-01T17:00", "minutos": 45},
        ),
        ("show coaches arriving at Gent", _COACHES, {"destinations": ["Gent"]}),
        (
            "show coaches arriving at Gent or Brugge between 8 am and 11 am",
            _COACHES,
            {"destinations": ["Gent", "Brugge"], "arrivalTime": {"min": "08:00", "max": "11:00"}},
        ),
        (
            "show one way coaches from Gent for 3 adults",
            _COACHES,
            {"origins": ["Gent"], "trip": "one-way", "travellers": 3},
        ),
        ("show coaches from Gent, just me", _COACHES, {"origins": ["Gent"], "travellers": 1}),
        (
            "send a circular to ida@mill.example and jo@mill.example",
            _CIRCULAR,
            {"recipient_emails": ["ida@mill.example", "jo@mill.example"]},
        ),
        ("move the red crate (ID 4410) to shelf 7", _SHELF, {"crateId": 4410, "shelf": 7}),
        ("price of a small parcel to Portugal", _PARCEL, {"size": "S", "country": "Portugal"}),
        ("report the mileage: 48.310 km", _METER, {"odometerKm": 48310}),
        ("add a parking permit for KR-TT 402", _PERMIT, {"plate": "KR-TT 402"}),
        (
            "order a truck to Industriestraße 7, Duisburg",
            _HEAD,
            {"address": "Industriestraße 7, Duisburg"},
        ),
        (
            "list what I paid Voltaria in payments since 3 December",
            _PAID,
            {"counterparty": "Voltaria", "from": "2025-12-03"},
        ),
        ("check in Anselm Huber and Greta Huber", _NAMES, {"names": ["Anselm Huber", "Greta Huber"]}),
    ],
)  # fmt: skip
async def test_a_value_is_put_into_the_form_that_the_tool_takes(
    goal: str, tool: Mapping[str, Any], call: Mapping[str, Any]
) -> None:
    """Bounds, spans, units, pictures, codes and what is denied."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], call)]


async def test_what_is_excluded_is_no_value() -> None:
    """A tool that excludes nothing takes the rest, if the person agrees."""
    goal = "filter for a price under 90, and exclude sailings with 2 or more stops"
    outcome = await follow(goal, bindings_from([_SAILINGS]), lambda *_: {}, answers=["yes"])
    assert outcome.calls == [("filterSailings", {"price": {"max": 90}})]


_BASKET = _tool(
    "addToBasket",
    "Put products into the basket.",
    items={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "productId": {"type": "string", "pattern": "^p[0-9]{4}$"},
                "quantity": {"type": "number"},
            },
            "required": ["productId", "quantity"],
        },
    },
)
_SEARCH = _tool("searchProducts", "Search the products.", reads=True, query=_TEXT)


async def test_the_id_of_a_thing_in_a_list_is_looked_up() -> None:
    """Its name is never its id, and the list stays a list."""
    found = {"products": [{"productId": "p1042", "name": "Carrots, loose"}]}
    outcome = await follow(
        "add 2 kg of loose carrots to my basket",
        bindings_from([_BASKET, _SEARCH]),
        lambda name, _: found if name == "searchProducts" else {},
    )
    assert outcome.calls == [
        ("searchProducts", {"query": "loose carrots"}),
        ("addToBasket", {"items": [{"productId": "p1042", "quantity": 2}]}),
    ]


@pytest.mark.parametrize(
    "goal",
    [
        "filter the sailings to those from Stansted",
        "filter the sailings by direct ones from Stansted only",
    ],
)
async def test_a_condition_that_is_not_understood_is_not_dropped(goal: str) -> None:
    """A filter without arguments would show everything."""
    outcome = await follow(goal, bindings_from([_SAILINGS]), lambda *_: {})
    assert outcome.calls == []


_ORDERS = (
    _tool("cancelOrder", "Cancel an order.", orderNo=_TEXT),
    _tool("trackOrder", "Track an order.", reads=True, orderNo=_TEXT),
)


@pytest.mark.parametrize(
    "goal",
    [
        "unsubscribe ada@mail.example and cancel order MZ118902",
        "cancel order MZ118902 … no wait, leave it as it is",
        "cancel order MZ118902. oh wait no, keep it",
        "storniere die Bestellung MZ118902, ach nein, vergiss es",
        "storniere die Bestellung MZ118902 ... nee warte, lass sie so",
        "annulez la commande MZ118902 ... ah non, finalement laissez-la",
    ],
)
async def test_half_of_a_wish_changes_nothing(goal: str) -> None:
    """What was left over, or was taken back, is asked about first."""
    outcome = await follow(goal, bindings_from(_ORDERS), lambda *_: {})
    assert outcome.calls == []


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        ("our parcels of last week were a bit damp", ["tool"]),
        ("the parcels are lovely this year", ["tool"]),
        ("we're abroad from 3 to 9 December 2026", []),
    ],
)
async def test_a_day_that_has_begun_changes_nothing(goal: str, asked: list[str]) -> None:
    """It says when something was; a day to come may be what a change takes."""
    day = {"type": "string", "format": "date"}
    tool = _tool("pauseParcels", "Pause the parcels.", from_=day, until_=day)
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.asked == asked
    assert bool(outcome.calls) != bool(asked)


async def test_a_reason_behind_an_order_does_not_deny_it() -> None:
    """`we can't come` says why it is cancelled."""
    outcome = await follow(
        "cancel order MZ118902, we can't make it", bindings_from(_ORDERS), lambda *_: {}
    )
    assert outcome.calls == [("cancelOrder", {"orderNo": "MZ118902"})]


async def test_what_was_not_understood_undoes_nothing() -> None:
    """`inscris-moi` is the opposite of the only tool that takes a tournament."""
    tools = [_tool("tournament_withdraw", "Withdraw from a tournament.", tournament=_TEXT)]
    outcome = await follow("zorble moi tournoi T-15", bindings_from(tools), lambda *_: {})
    assert outcome.calls == []


async def test_a_number_behind_a_noun_is_its_own() -> None:
    """`room 12` gives no price."""
    tool = _tool(
        "searchRooms", "Search the rooms.", reads=True, query_=_TEXT, maxPrice_={"type": "number"}
    )
    outcome = await follow("search for rooms near gate 12", bindings_from([tool]), lambda *_: {})
    assert all("maxPrice" not in arguments for _, arguments in outcome.calls)


_TEA = {"product": "oolong tea", "quantity": 2}
_SOUP = {"product": "tomato soup", "quantity": 2}


@pytest.mark.parametrize(
    ("goal", "calls"),
    [
        (
            "add 1x “oolong tea” + 2x “tomato soup” to the basket",
            [("addToBasket", _TEA | {"quantity": 1}), ("addToBasket", _SOUP)],
        ),
        ("add 2x “oolong tea” to the basket", [("addToBasket", _TEA)]),
    ],
)
async def test_a_count_is_that_of_the_thing_behind_it(
    goal: str, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    tool = _tool(
        "addToBasket", "Add a product to the basket.", product=_TEXT, quantity_={"type": "integer"}
    )
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == calls


@pytest.mark.parametrize(
    ("goal", "calls", "asked"),
    [
        ("order menu M7, my email is ada@mail.example", [], ["name"]),
        ("order menu M7 for Lee", [], ["tool"]),
    ],
)
async def test_a_part_of_an_object_is_no_object(
    goal: str, calls: list[tuple[str, dict[str, Any]]], asked: list[str]
) -> None:
    """Its other parts are asked for; words that may mean something else are not put there."""
    contact = {
        "type": "object",
        "properties": {"name": _TEXT, "email": {"type": "string", "format": "email"}},
        "required": ["name", "email"],
    }
    tool = _tool("orderMenu", "Order a menu.", menuId={"type": "string"}, contact_=contact)
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert (outcome.calls, outcome.asked) == (calls, asked)


_FORM = _tool("write", "Write to us.", name=_TEXT, email=_TEXT, message=_TEXT)
_HELLO = {"name": "Ada", "email": "ada@example.com", "message": "hello"}


@pytest.mark.parametrize(
    ("goal", "given"),
    [
        ("write to them: my name is Ada, my e-mail is ada@example.com, the message is hello", {}),
        ("write to us: my name is Ada, my email is ada@example.com, my message is hello", {}),
        ("write: name Ada, email ada@example.com, message hello", {}),
        ("write to us. name: Ada, e-mail: ada@example.com, message: hello", {}),
        ("my name is Ada, my e-mail is ada@example.com and my message is hello", {}),
        ('write a message: name Ada, email ada@example.com, message "hello"', {}),
        (
            "write to us: name Ada, email ada@example.com, message: do you have room on Tuesday?",
            {"message": "do you have room on Tuesday?"},
        ),
        (
            "write to us: the message is I will be late, and my name is Ada, my email ada@example.com",
            {"message": "I will be late"},
        ),
        (
            "schreib ihnen: mein Name ist Ada, meine E-Mail ist ada@example.com, die Nachricht ist hallo",
            {"message": "hallo"},
        ),
        (
            "écris-leur : mon nom est Ada, mon e-mail est ada@example.com, le message est bonjour",
            {"message": "bonjour"},
        ),
        (
            "escríbeles: mi nombre es Ada, mi email es ada@example.com, el mensaje es hola",
            {"message": "hola"},
        ),
        (
            "write to them that I will be late, my name is Ada and my e-mail ada@example.com",
            {"message": "I will be late"},
        ),
    ],
)
async def test_a_value_goes_where_its_label_says(goal: str, given: Mapping[str, Any]) -> None:
    """Each field gets what stands behind its name, up to the name of the next."""
    outcome = await follow(goal, bindings_from([_FORM]), lambda *_: {})
    assert outcome.calls == [("write", {**_HELLO, **given})]


async def test_a_field_that_gets_no_sure_value_is_asked_for() -> None:
    """The name of a field is no value of another, nor is a word that is left of a sentence."""
    goal = "send the message hello, I am Ada, ada@example.com"
    outcome = await follow(goal, bindings_from([_FORM]), lambda *_: {}, answers=["see you"])
    assert outcome.asked == ["message"]
    assert outcome.calls == [("write", {**_HELLO, "message": "see you"})]


_ABSCHNITT = _tool(
    "abschnitt_sperren",
    "Einen Abschnitt des Stegs für eine Zeit sperren.",
    von={"type": "string", "format": "date"},
    bis={"type": "string", "format": "date"},
)
_LIEGEPLATZ = _tool(
    "liegeplatz_verlaengern",
    "Einen Liegeplatz um einige Tage verlängern.",
    platz=_COUNT,
    tage=_COUNT,
)
_SALLE = _tool(
    "reserver_salle",
    "Réserver une salle du foyer.",
    jour={"type": "string", "format": "date"},
    debut={"type": "string", "format": "time"},
    fin={"type": "string", "format": "time"},
)
_NOTICE = _tool("warnBefore", "Send a warning before a tide.", tide=_TEXT, hoursBefore=_COUNT)
_CANOE = _tool("rent_canoe", "Rent a canoe by the hour.", hours=_COUNT)
_STEAM = _tool(
    "bookSteamRoom",
    "Book the steam room.",
    day={"type": "string", "format": "date"},
    part={"type": "string", "enum": ["morning", "evening"]},
    persons=_COUNT,
)
_DROP = _tool("dropBerth", "Cancel a berth.", number=_COUNT)
_MEND = _tool("updateBoat", "Change the data of the boat.", length_cm=_COUNT)
_PAY_OUT = _tool(
    "payOut", "Pay somebody money.", payee=_TEXT, amount={"type": "number"}, reference_=_TEXT
)
_WAKE = _tool(
    "set_wakeup_call",
    "Phone call in the morning.",
    time={"type": "string", "format": "time"},
    date_={"type": "string", "format": "date"},
)
_BAY = _tool(
    "openBay", "Open a bay for a boat.", bay=_TEXT, boat_=_TEXT, deposit_={"type": "number"}
)


@pytest.mark.parametrize(
    ("goal", "tool", "call"),
    [
        (
            "block it off from 3 dec to 5 jan",
            _ABSCHNITT,
            {"von": "2026-12-03", "bis": "2027-01-05"},
        ),
        ("extend 41 by three days", _LIEGEPLATZ, {"platz": 41, "tage": 3}),
        (
            "book a room on tuesday from 5 to 6:30 pm",
            _SALLE,
            {"jour": "2026-11-24", "debut": "17:00", "fin": "18:30"},
        ),
        ("warn me a day before the spring tide", _NOTICE, {"tide": "spring", "hoursBefore": 24}),
        ("je voudrais louer un canoë pour trois heures", _CANOE, {"hours": 3}),
        ("book the steam room saturday evening, five of us", _STEAM, {"day": "2026-11-28", "part": "evening", "persons": 5}),
        ("we don't need 5520 any more, please cancel it", _DROP, {"number": 5520}),
        ("change the length of the boat, it says 640 but it's 680", _MEND, {"length_cm": 680}),
        (
            "pay Mirko 32.50 for the mooring ropes",
            _PAY_OUT,
            {"payee": "Mirko", "amount": 32.5, "reference": "mooring ropes"},
        ),
        ("open bay 7 for the Kestrel", _BAY, {"bay": "7", "boat": "Kestrel"}),
        ("wake me at half six on tuesday", _WAKE, {"time": "06:30", "date": "2026-11-24"}),
    ],
)  # fmt: skip
async def test_a_value_is_heard_in_everyday_words(
    goal: str, tool: Mapping[str, Any], call: Mapping[str, Any]
) -> None:
    """Lengths, counts of persons, corrections, and fields that are named in another language."""
    outcome = await follow(goal, bindings_from([tool]), lambda *_: {})
    assert outcome.calls == [(tool["name"], call)]
