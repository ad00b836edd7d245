"""Scrolling, waiting, going to addresses, and searching a site with its own search."""

from __future__ import annotations

import pytest

from tests.e2e.dom.conftest import Dom
from tests.e2e.dom.site import Site

pytestmark = pytest.mark.conformance

LONG = "<body style='margin:0;width:3000px'><div style='height:5000px'>"
SCROLLS = [
    ({"direction": "down"}, (560, 0)),
    ({"direction": "down", "amount": 100}, (100, 0)),
    ({"direction": "bottom"}, (5000, 0)),
    ({"direction": "right", "amount": 50}, (0, 50)),
]


@pytest.mark.parametrize(("fields", "place"), SCROLLS)
async def test_the_page_scrolls(
    dom: Dom, fields: dict[str, object], place: tuple[int, int]
) -> None:
    """The page moves by most of the window, or by an amount, or to an end; the reply says where it is."""
    await dom.open(LONG)
    reply = await dom.act("scroll", **fields)
    top, left = await dom.evaluate("[scrollY, scrollX]")

    assert (reply["position"]["top"], reply["position"]["left"]) == (top, left)
    assert abs(top - min(place[0], 5000 - await dom.evaluate("innerHeight"))) <= 20
    assert abs(left - place[1]) <= 1
    assert reply["position"]["at_end"] == (fields["direction"] == "bottom")


async def test_scrolling_at_the_end(dom: Dom) -> None:
    """Where it goes no further, the reply says so."""
    await dom.open(LONG)
    reply = await dom.act("scroll", direction="up")

    assert reply["did"] == "the page does not scroll further up"
    assert reply["position"]["at_end"]


async def test_boxes_scroll(dom: Dom) -> None:
    """A box is scrolled by a number in it; on a page that does not scroll, the box in its middle is."""
    await dom.open("""<body style="margin:0"><main style="height:100vh;overflow:auto"><button>First</button>
        <div style="height:3000px"></div><p>Last</p></main>""")
    await dom.act("scroll", direction="down", amount=300)
    await dom.act("scroll", direction="down", amount=200, pp_id=await dom.id("First"))

    assert await dom.evaluate("document.querySelector('main').scrollTop") >= 200
    assert await dom.evaluate("scrollY") == 0


async def test_the_reply_reports_text_that_scrolling_loads(dom: Dom) -> None:
    """Text that a page loads while it scrolls comes with the reply."""
    await dom.open("""<body><div style="height:3000px"></div><script>onscroll = () =>
        setTimeout(() => document.body.append("More tea"), 50)</script>""")

    assert (await dom.act("scroll", direction="bottom"))["changed"]["appeared"] == ["More tea"]


async def test_scrolling_that_makes_no_sense(dom: Dom) -> None:
    """Other directions and amounts are refused."""
    await dom.open(LONG)

    assert (await dom.fail("scroll", direction="sideways"))[
        "message"
    ] == "there is no direction `sideways`"
    assert (await dom.fail("scroll", direction="up", amount=-5))[
        "message"
    ] == "`-5` is not an amount to scroll by"
    assert (await dom.fail("scroll", direction="up", pp_id=7))[
        "message"
    ] == "there is no element `7`"


async def test_waiting(dom: Dom) -> None:
    """The reply reports what appears during the wait."""
    await dom.open("<body><script>setTimeout(() => document.body.append('Ready'), 80)</script>")
    reply = await dom.act("wait", seconds=0.1)

    assert reply["did"] == "waited 0.1 s"
    assert (await dom.fail("wait", seconds=3600))["message"] == "`3600` is not a time to wait"
    assert (await dom.fail("wait", seconds="long"))["help"] == "give 0 to 60 seconds"


async def test_waiting_ends_when_the_page_is_left(dom: Dom) -> None:
    """A wait of a minute is over as soon as the page goes to another."""
    await dom.open("<body><script>setTimeout(() => location.assign('/held/next'), 300)</script>")
    reply = await dom.act("wait", seconds=60)

    assert reply["did"] == "waited until the page was left"
    assert reply["navigates"]
    await dom.page.wait_for_url("**/held/next")


async def test_going_to_an_address(dom: Dom, other: Site) -> None:
    """Relative addresses are resolved; another origin is reported."""
    await dom.open("<body>", "/a/b")
    reply = await dom.act("goto_url", url="../held/c?d=1")
    await dom.page.wait_for_url("**/held/c?d=1")
    await dom.inject()
    far = await dom.act("goto_url", url=other.origin + "/held/x")
    other.release()
    await dom.page.wait_for_url(other.origin + "/held/x")

    assert (reply["navigates"], reply["url"]) == (True, dom.site.origin + "/held/c?d=1")
    assert "other_origin" not in reply
    assert far["other_origin"]
    assert "which is another site" in far["did"]


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://["]
)
async def test_addresses_that_are_not_gone_to(dom: Dom, url: str) -> None:
    """Only http and https are gone to."""
    await dom.open("<body>")

    assert (await dom.fail("goto_url", url=url))["path"] == "url"
    assert await dom.evaluate("location.pathname") == "/"


async def test_a_fragment_does_not_leave_the_page(dom: Dom) -> None:
    """Going to a place in the page stays in it."""
    await dom.open("<body><h2 id=b>B</h2>")
    reply = await dom.act("goto_url", url="#b")

    assert (reply["navigates"], reply["url"]) == (False, dom.site.origin + "/#b")


SEARCHES = [
    "<form role=search><input><button>Go</button></form>",
    "<form><input type=search></form>",
    "<form action=/x><input name=q><button>Go</button></form>",
    "<form><input aria-label='Newsletter email'></form><form><input placeholder='Search teas'><button>Go</button></form>",
    "<button onclick=\"document.querySelector('form').hidden = false\">Search</button><form hidden><input type=search></form>",
    "<input type=search onkeydown=\"if (event.key === 'Enter') found(this.value)\">",
    "<div><input type=search><button onclick='found(this.previousSibling.value)'>Search</button></div>",
]


@pytest.mark.parametrize("html", SEARCHES)
async def test_searching(dom: Dom, html: str) -> None:
    """A site's own search is found by what it says of itself, opened if need be, filled in and submitted."""
    await dom.open(f"""<body>{html}<p role=status></p><script>
        const found = (words) => document.querySelector("[role=status]").textContent = `Found ${{words}}`;
        document.addEventListener("submit", (event) => {{ event.preventDefault(); found(event.target.querySelector("input").value) }});
        </script>""")
    reply = await dom.act("search", query="green tea")

    assert reply["changed"]["alerts"] == ["Found green tea"]


async def test_a_search_that_leaves_the_page(dom: Dom) -> None:
    """A search that loads results reports their address."""
    await dom.open("<body><form action=/held/results><input type=search name=q></form>")
    reply = await dom.act("search", query="green tea")

    assert reply["url"] == dom.site.origin + "/held/results?q=green+tea"
    await dom.page.wait_for_url(reply["url"])


async def test_a_link_to_the_search_page(dom: Dom) -> None:
    """A link that leads to a search is followed, and the reply says to go on there."""
    await dom.open("<body><a href=/held/search>Search</a>")
    reply = await dom.act("search", query="tea")

    assert reply["navigates"]
    assert reply["did"].endswith("which leads to another page: search there")
    await dom.page.wait_for_url(reply["url"])


async def test_sites_without_search(dom: Dom) -> None:
    """Where nothing searches, the error says so; an empty query is refused."""
    await dom.open("<body><input aria-label=Email><p>Hello")
    error = await dom.fail("search", query="tea")

    assert error["message"] == "the page has no search of its own"
    assert '[1] textbox "Email"' in error["help"]
    assert (await dom.fail("search", query=" "))["message"] == "there is nothing to search for"
