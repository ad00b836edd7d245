"""No input makes the owner's interface or the live channel fail or leak secrets."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.devserver.attacks.conftest import page_token
from tests.devserver.conftest import INDEX
from tests.page_client import PLAIN, ClientPage, owner_token
from tests.server import Server, hosting
from webagent_site.pages.wire import _PAGE_MESSAGES

API = "/__webagent__/api"
EXAMPLES = [
    150,
    pytest.param(4_000, marks=[pytest.mark.conformance, pytest.mark.timeout(400)]),
]
TEXT = st.text(st.characters(), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "name": TEXT,
    "arguments": st.dictionaries(TEXT, JSON, max_size=4),
    "code": TEXT,
    "goal": TEXT,
    "budget": st.dictionaries(TEXT, JSON, max_size=3),
    "approve": st.booleans(),
    "question": TEXT,
    "yes": st.booleans(),
    "text": TEXT,
    "session": st.booleans(),
    "files": st.lists(st.dictionaries(st.sampled_from(["name", "type", "data"]), TEXT), max_size=2),
    "caller": TEXT,
    "timeout_ms": st.integers(1, 400),
}
OBJECTS = st.fixed_dictionaries({}, optional={name: kind | JSON for name, kind in FIELDS.items()})
"""Objects with fields of requests; a field may also have any other value."""
RIGHT = st.fixed_dictionaries(
    {name: FIELDS[name] for name in ("name", "arguments", "code", "goal", "question", "yes")},
    optional={"caller": TEXT, "timeout_ms": FIELDS["timeout_ms"], "text": TEXT},
)
PAGES = st.sampled_from(["tab", "focused", "nowhere", "%2e%2e", "%00", "__proto__"])
PATHS = st.one_of(
    st.sampled_from(
        ["/", "/state", "/manifest", "/timeline", "/events", "/x/y", "/state/", "//state"]
    ),
    st.builds(
        "/pages/{}/{}".format,
        PAGES,
        st.sampled_from(["tools", "call", "execute", "prompt", "run", "x"]),
    ),
    st.builds("/runs/{}/answer".format, PAGES),
)


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("fuzzed")
    (root / "index.html").write_bytes(INDEX)
    with hosting(root) as server:
        yield server


@pytest.fixture(name="open_page", scope="module")
def _open_page(site: Server) -> Iterator[None]:
    """A page that answers each call with its arguments."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    page = ClientPage(site)
    asyncio.run_coroutine_threadsafe(page.__aenter__(), loop).result(30)
    yield
    asyncio.run_coroutine_threadsafe(page.__aexit__(None, None, None), loop).result(30)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def written(data: Any) -> bytes:
    """Return data as JSON, or as nearly JSON as it can be."""
    return json.dumps(data).encode()


@pytest.mark.usefixtures("open_page")
@pytest.mark.parametrize("examples", EXAMPLES)
def test_no_request_makes_the_owners_interface_fail(site: Server, examples: int) -> None:
    """No status is 500; errors have their shape and no tokens or paths."""
    token, root = owner_token(site), str(site.root)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        method=st.sampled_from(["GET", "POST", "POST", "POST", "DELETE", "HEAD", "PUT", "OPTIONS"]),
        path=PATHS,
        query=st.sampled_from(["", "?after=3", "?after=x", "?after=-1", "?after=1&after=2", "?x"]),
        body=st.binary(max_size=60) | (OBJECTS | RIGHT | RIGHT | JSON).map(written),
        kind=st.sampled_from(["application/json", "application/json", "text/plain", ""]),
        shown=st.sampled_from([True, True, True, False]),
    )
    def check(method: str, path: str, query: str, body: bytes, kind: str, shown: bool) -> None:
        headers = {"content-type": kind} if kind else {}
        headers |= {"authorization": f"Bearer {token}"} if shown else {}
        with client.stream(method, f"{API}{path}{query}", content=body, headers=headers) as answer:
            streams = answer.headers.get("content-type", "").startswith("text/event-stream")
            text = "" if streams else answer.read().decode()
        assert answer.status_code < 500, text
        assert shown or answer.status_code in (400, 401), text
        assert token not in text
        if answer.status_code >= 400 and "json" in answer.headers.get("content-type", "") and text:
            assert set(json.loads(text)) == {"error"}
        assert root not in text or (shown and path == "/state")

    with httpx.Client(base_url=site.url, verify=PLAIN, timeout=20) as client:
        check()
    assert "Traceback" not in site.output


@pytest.mark.parametrize("examples", EXAMPLES)
def test_no_message_makes_the_live_channel_fail(site: Server, examples: int) -> None:
    """It withstands any message after the greeting."""
    address = f"ws{site.url[4:]}/__webagent__/live?token={page_token(site)}"
    kinds = st.sampled_from([*_PAGE_MESSAGES, "call", "x", 3])
    fields = sorted({field for _, fields in _PAGE_MESSAGES.values() for field in fields})
    rights = st.one_of(
        *(
            st.fixed_dictionaries(
                {"v": st.just(1), "type": st.just(name)}
                | {field: _of(wanted) for field, wanted in wanted_fields.items()}
            )
            for name, (_, wanted_fields) in _PAGE_MESSAGES.items()
        )
    )
    odds = st.fixed_dictionaries(
        {"v": st.sampled_from([1, 1, 1, 2, True]), "type": kinds},
        optional=dict.fromkeys(fields, JSON),
    )
    page = connect(
        address,
        origin=Origin(site.url),
        proxy=None,
        # Pings take random numbers, which may not be taken while others are drawn.
        ping_interval=None,
        # Nobody reads what the server sends.
        max_queue=None,
    )
    with page:

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(message=(rights | odds | JSON).map(json.dumps))
        def check(message: str) -> None:
            page.send(message)

        check()
        assert page.ping().wait(20)
    token = owner_token(site)
    for path in ("state", "timeline"):
        answer = httpx.get(
            f"{site.url}{API}/{path}", headers={"authorization": f"Bearer {token}"}, verify=PLAIN
        )
        assert answer.status_code == 200
        assert answer.json()
    assert "Traceback" not in site.output
    assert "\x1b" not in site.output


def _of(wanted: type) -> st.SearchStrategy[Any]:
    """Return possible values for a field of a type."""
    kinds: dict[type, st.SearchStrategy[Any]] = {
        str: TEXT,
        bool: st.booleans(),
        int: st.integers(),
        list: st.lists(JSON, max_size=4),
        dict: st.dictionaries(TEXT, JSON, max_size=4),
    }
    return kinds[wanted]
