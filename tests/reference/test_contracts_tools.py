from __future__ import annotations

import httpx
from starlette.applications import Starlette

from tests.reference.contracts import rows
from tests.reference.tables import code
from webagent.errors import Denied, NotLoggedIn, RateLimited, ToolError
from webagent_site.config.urls import TOOLS_PATH
from webagent_site.tools.endpoint import MAX_CALL_BYTES
from webagent_site.tools.frameworks import starlette_routes
from webagent_site.tools.server_tools import ServerTools

ERRORS = [NotLoggedIn, Denied, ToolError, RateLimited, ValueError]
"""Exceptions of the function, one for each of their statuses."""


def test_the_addresses_of_tools() -> None:
    """One route with both methods."""
    (route,) = starlette_routes(ServerTools())

    listed = [(code(row["path"]), row["methods"]) for row in rows("Tools of the application")]
    assert listed == [(f"{TOOLS_PATH}/{{name}}", "GET"), (f"{TOOLS_PATH}/{{name}}", "POST")]
    assert {route.path} == {path for path, _ in listed}


async def test_the_statuses_of_calls() -> None:
    """Each row happens, and nothing else does."""
    tools = ServerTools()

    @tools.tool(effect="read")
    def fail(number: int) -> None:
        """Fail."""
        raise ERRORS[number]("it failed")

    json = {"content-type": "application/json"}
    wanted = [
        ("fail", b"[]", json),
        *(("fail", b'{"number": %d}' % number, json) for number in range(len(ERRORS))),
        ("nothing", b"{}", json),
        ("fail", b" " * (MAX_CALL_BYTES + 1), json),
        ("fail", b"{}", {"content-type": "text/plain"}),
        ("fail", b"{}", json),
    ]
    found = set()
    transport = httpx.ASGITransport(Starlette(routes=[*starlette_routes(tools)]))
    async with httpx.AsyncClient(transport=transport, base_url="https://shop.example") as client:
        for name, body, headers in wanted:
            sent = headers | {"origin": "https://shop.example"}
            answer = await client.post(f"{TOOLS_PATH}/{name}", content=body, headers=sent)
            found.add((str(answer.status_code), answer.json()["error"]["kind"]))

    listed = rows("Tools of the application", 1)
    assert {(row["status"], code(row["kind"])) for row in listed} == found
