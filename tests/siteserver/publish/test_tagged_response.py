"""Tags in pages, however their bytes are cut into chunks."""

from __future__ import annotations

from pathlib import Path

import pytest

from webagent_site import WebAgent
from webagent_site.publish.tagged_response import PageRequest, TaggedResponses

PAGES = [
    b"<!doctype html><!-- </head><body> --><html><head><title>x</title></head><body>hi</body></html>",
    b"<!doctype html><html data-x='<body>' data-y=\"</head>\"><head></head><body>hi</body></html>",
    b"<!doctype html><html><head><script>document.write('</head><body>')</script></head><body>hi",
    b"<!doctype html><html><head><noscript><p></head></noscript><title></head></title></head><p>hi",
    b"<!doctype html><html><head><template><body></head></template><link rel=x></head><body>hi",
    b"\xef\xbb\xbf<!doctype html><HTML><HEAD\n><TITLE>x</TITLE></HEAD\t><BODY\r\n>hi",
    b"<html><title>x</title><p>a head without tags of its own</p>",
    b"<!doctype html><html><head><!-- it never ends </head><body>",
    b"<p>a part of a page</p>",
    b"<!doctype html",
    b"",
]


def _sent(agent: WebAgent, chunks: list[bytes]) -> list[bytes]:
    """Return what is sent for each chunk, and for the end."""
    request = PageRequest("GET", "/", "https://shop.example/", "")
    response = TaggedResponses(compressed=False, report=print).response(
        agent._publication(""), request, 200, [(b"content-type", b"text/html")]
    )
    assert response is not None
    return [*(response.feed(chunk) for chunk in chunks), response.end()]


@pytest.fixture(name="agent")
def _agent(root: Path, bundle: Path) -> WebAgent:
    return WebAgent(root / "webagents.md", bundle=bundle)


@pytest.mark.parametrize("page", PAGES)
def test_chunks_do_not_matter(agent: WebAgent, page: bytes) -> None:
    """Comments, scripts and attributes may have the letters of its end."""
    whole = b"".join(_sent(agent, [page]))

    for size in (1, 2, 7, 30):
        chunks = [page[i : i + size] for i in range(0, len(page), size)]
        assert b"".join(_sent(agent, chunks)) == whole


def test_a_head_is_sent_before_its_body_comes(agent: WebAgent) -> None:
    """Applications send it early, so that browsers load what it names."""
    head = b"<!doctype html><html><head><!-- <body> --><link rel=x></head>"
    first, rest, _ = _sent(agent, [head, b"<body>hi"])

    assert b"webagent.js" in first
    assert first.endswith(b"</head>")
    assert rest == b"<body>hi"


def test_a_picture_does_not_keep_the_agent_out(agent: WebAgent) -> None:
    """Visitors may write its address into a page; only a script counts as the agent."""
    (script,) = [line for line in agent._publication("").scripts() if 'type="module"' in line]
    address = script.partition('src="')[2].partition('"')[0].encode()
    page = b"<!doctype html><title>x</title><body><img src='" + address + b"'>"

    assert b"".join(_sent(agent, [page])).count(b'<script type="module" src=') == 1
