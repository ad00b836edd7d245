"""Pages that are huge, deep, circular or mean: replies have an end, and nothing breaks."""

from __future__ import annotations

import pytest

from tests.e2e.dom.conftest import Dom

HOSTILE = {
    # Chromium itself dies of 5,000 boxes in each other.
    "deep": """let at = document.body; for (let i = 0; i < 5000; i++) { const d = document.createElement("div"); at.append(d); at = d;
        if (i > 1500) d.style.display = "contents" } at.innerHTML = "<button>Deep</button>" """,
    "wide": """const all = document.createDocumentFragment();
        for (let i = 0; i < 100000; i++) all.append(Object.assign(document.createElement("i"), { textContent: "x" }));
        document.body.append(all)""",
    "labels that name each other": """document.body.innerHTML = "<div id=a aria-labelledby=b role=button tabindex=0>x</div>" +
        "<div id=b aria-labelledby='a b' role=button tabindex=0>y</div><label id=l aria-labelledby=l for=f>z</label><input id=f aria-labelledby='l f'>" """,
    "labels in labels": """let html = ""; for (let i = 0; i < 300; i++) html += `<div role=button aria-labelledby="b${i + 1}" id=b${i}><div role=button>`;
        document.body.innerHTML = html""",
    "a megabyte of text": """document.body.innerHTML = "<p>" + "word ".repeat(200000) + "</p><button>" + "x".repeat(1e6) + "</button>" """,
    "ten thousand options": """document.body.innerHTML = "<select aria-label=Many>" + "<option>o".repeat(10000) + "</select>" """,
    "shadow trees in shadow trees": """let at = document.body; for (let i = 0; i < 500; i++) { const d = document.createElement("div");
        at.append(d); at = d.attachShadow({ mode: "open" }) } at.innerHTML = "<button>Deep</button>" """,
    "tables in tables": """document.body.innerHTML = "<table><tr><td>".repeat(300)""",
    "globals replaced": """Array.prototype.toJSON = () => "gone"; Array.prototype.includes = () => true; Element.prototype.getAttribute = () => { throw 1 };
        document.querySelectorAll = () => { throw 2 }; window.getComputedStyle = () => null""",
    "members hidden": """document.body.innerHTML = "<form><input name=closest><input name=attachShadow><input name=labels><input name=form>" +
        "<img name=querySelectorAll><img name=body><img name=defaultView></form>" """,
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.conformance) if name == "wide" else name
        for name in HOSTILE
    ],
)
async def test_a_hostile_page_can_be_read(dom: Dom, name: str) -> None:
    """A snapshot and everything that reads neither hang nor throw."""
    await dom.open("<body><p>Start")
    await dom.evaluate(f"() => {{ {HOSTILE[name]} }}")
    snapshot = await dom.page.evaluate(
        "JSON.parse(JSON.stringify(dom.snapshot({ max_text: 5000 })))"
    )
    for kind in (
        "section_outline",
        "navigation_outline",
        "form_details",
        "table_details",
        "find_code",
        "summary",
    ):
        await dom.act(kind)

    assert name == "globals replaced" or len(snapshot["text"]) <= 5200


async def test_a_hostile_page_is_acted_on(dom: Dom) -> None:
    """A button at the depth of 5,000 elements is clicked."""
    await dom.open("<body>")
    await dom.evaluate(f"() => {{ {HOSTILE['deep']} }}")
    await dom.evaluate("document.querySelector('button').onclick = () => window.hit = true")
    await dom.act("click", pp_id=await dom.id("Deep"))

    assert await dom.evaluate("hit")


async def test_a_page_that_never_rests(dom: Dom) -> None:
    """A page that changes all the time is not waited for without end."""
    await dom.open(
        "<body><p>0</p><button>Go</button><script>setInterval(() => document.querySelector('p').textContent++, 10)</script>"
    )

    assert not (await dom.act("click", pp_id=await dom.id("Go")))["navigates"]


async def test_invalid_numbers_break_nothing(dom: Dom) -> None:
    """Limits and numbers of any kind are taken or refused, and nothing breaks."""
    await dom.open("<body><button>x</button>")
    for value in (-1, 0, 1e99, None, "5", {}, []):
        snapshot = await dom.page.evaluate(
            "value => dom.snapshot({ max_elements: value, max_text: value })", value
        )
        assert isinstance(snapshot["text"], str)
        assert (await dom.fail("click", pp_id=value))["kind"] == "invalid_arguments" or value in (
            1,
            "1",
        )


async def test_a_page_of_the_strictest_policy(dom: Dom) -> None:
    """Nothing is needed that a policy could forbid: no inline script, style, `eval` or markup from text."""
    policy = "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'; sandbox allow-scripts allow-same-origin allow-forms"
    await dom.open(
        "<body><form><input aria-label=Name><div contenteditable aria-label=Note>x</div><button type=button>Go</button></form>",
        content_security_policy=policy,
    )
    await dom.evaluate(
        "document.querySelector('button').addEventListener('click', () => document.body.append('Gone'))"
    )
    entries = [{"label": "Name", "text": "Ada"}, {"label": "Note", "text": "y"}]
    await dom.act("enter_data", form_data=entries)
    reply = await dom.act("click", pp_id=await dom.id("Go"))

    assert reply["changed"]["appeared"] == ["Gone"]
    assert [e.get("value") for e in (await dom.snapshot())["elements"]] == [None, "Ada", "y", None]
