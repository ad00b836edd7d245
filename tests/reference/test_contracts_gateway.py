"""The chapter on the gateway of a site's own server: its names, and its refusals."""

from __future__ import annotations

import inspect
import re
from typing import get_args

from redis.asyncio import Redis
from starlette.requests import Request

from tests.reference.contracts import column, rows
from webagent.announcements import AI_CATALOG, ANNOUNCEMENTS, LLMS_TXT, SKILLS_FOLDER
from webagent.types import Manifest
from webagent_site.application import WELL_KNOWN_PATH
from webagent_site.assistants.assistants import (
    RESOURCE_METADATA_PATH,
    Assistants,
    AssistantsEndpoint,
)
from webagent_site.assistants.grants_endpoint import COOKIE
from webagent_site.broker import redis_directory
from webagent_site.broker.broker import MemoryBroker
from webagent_site.broker.ledger import Budget, Spender
from webagent_site.broker.redis_broker import LEASE_S, RESERVE, RedisBroker, RedisLedger
from webagent_site.broker.redis_counts import RedisCounts
from webagent_site.broker.redis_directory import RedisDirectory
from webagent_site.broker.redis_grants import RedisGrants
from webagent_site.config.urls import (
    A2A_PATH,
    AGUI_PATH,
    ASSISTANTS_PATH,
    CARD_PATH,
    CONTROL_PATH,
    MANIFEST_PATH,
    MCP_PATH,
    OAUTH_PATH,
    PAGES_PATH,
    SERVER_METADATA_PATH,
    TOKEN_PATH,
    USAGE_PATH,
)
from webagent_site.config.workers import SECRET_VARIABLE
from webagent_site.django import apps
from webagent_site.http import request_body
from webagent_site.http.visitors import SESSION_COOKIE, Visitors
from webagent_site.llm import telemetry
from webagent_site.llm.allowed import RefusalCode
from webagent_site.pages.visitor_pages import VisitorPages
from webagent_site.publish.published_bundle import FOLDER
from webagent_site.usage import tool_usage, usage_endpoint


def test_names() -> None:
    """The address, the cookie, the variable, the logger and the metrics."""
    names = column("The site's gateway", "name")
    address, cookie, token, variable, *reported = names

    assert address == f"POST {TOKEN_PATH}"
    assert (cookie, token, variable) == (SESSION_COOKIE, "webagent_page_…", SECRET_VARIABLE)
    source = inspect.getsource(telemetry)
    assert reported[0] == telemetry.LOGGER
    assert len(reported) == 4
    assert all(f'"{name}"' in source for name in reported)


def test_refusals() -> None:
    """Each reason has a row, and there is no other."""
    assert column("Refusals of the gateway", "code") == sorted(get_args(RefusalCode))


def test_keys_on_redis() -> None:
    """Those of an account, and how long they are kept."""
    ledger = RedisLedger(Redis(), "PREFIX:model", lambda error: None)
    made = [
        re.sub(r":[0-9a-f]{32}:", ":ACCOUNT:", key) for key in ledger._keys([Spender("", Budget())])
    ]

    stopped = RedisBroker("redis://127.0.0.1:9", prefix="PREFIX")._stopped_key
    assert column("Keys on Redis", "key") == [stopped, *made]
    _, running, minute, day, _ = (row["kept for"] for row in rows("Keys on Redis"))
    assert running == f"{LEASE_S + 1:g} s"
    windows = re.search(r"windows = \{\{5, 12, (\d+)\}, \{3600, 24, (\d+)\}", RESERVE)
    assert windows
    assert (minute, day) == (f"{windows[1]} s", f"{int(windows[2]) // 3600} h")


async def test_keys_of_the_tools_on_redis() -> None:
    """Those of a tool, and the beginning."""
    counts = RedisCounts(Redis(), "PREFIX:usage")
    since = re.search(r'\{self\._prefix\}(:since)"', inspect.getsource(RedisCounts))
    assert since

    made = [*counts._keys("TOOL"), f"{counts._prefix}{since[1]}"]
    assert column("Keys on Redis", "key", 1) == made


def test_keys_of_pages_on_redis() -> None:
    """Each kind of key, and how long it is kept."""
    source = inspect.getsource(redis_directory)
    directory = RedisDirectory(Redis(), "PREFIX:pages", lambda error: None)
    kinds = dict.fromkeys(re.findall(r'_key\("(\w+)"', source))
    kinds |= dict.fromkeys(
        re.findall(r'for kind in \(("[^)]*")\)', source)[0].replace('"', "").split(", ")
    )

    names = column("Keys on Redis", "key", 2)
    assert sorted(names) == sorted(
        directory._key(kind, name.rpartition(":")[2])
        for kind in kinds
        for name in names
        if f":{kind}:" in name
    )
    kept = {
        row["key"].strip("`").split(":")[2]: row["kept for"] for row in rows("Keys on Redis", 2)
    }
    lives = f"{redis_directory.LEASE_MS} ms; {redis_directory.CLOSED_S:g} s"
    assert kept["alive"] == lives
    assert kept["page"] == f"{redis_directory._KEPT_S // 3600} h"


def test_keys_of_the_grants_on_redis() -> None:
    """Those of a grant and of a visitor."""
    grants = RedisGrants(Redis(), "PREFIX:assistants")
    listed = re.sub(r"[0-9a-f]{32}", "VISITOR", grants._list("account ada"))

    assert column("Keys on Redis", "key", 3) == [grants._key("ID"), listed]


def test_paths_of_an_application() -> None:
    """The paths that `WebAgent` answers; every other one is the application's."""
    paths = [
        path
        for row in rows("In a site's application")
        for path in re.findall(r"`([^`]+)`", row["path"])
    ]

    assert paths == [
        *(MANIFEST_PATH, WELL_KNOWN_PATH),
        *(f"/{LLMS_TXT}", f"/{AI_CATALOG}", f"/{SKILLS_FOLDER}…"),
        *(f"/{FOLDER}/HASH/…", f"{CONTROL_PATH}/llm/…"),
        *(USAGE_PATH, PAGES_PATH, AGUI_PATH),
        *(ASSISTANTS_PATH, f"{OAUTH_PATH}/…", MCP_PATH, A2A_PATH, CARD_PATH),
        SERVER_METADATA_PATH,
        *(f"{RESOURCE_METADATA_PATH}{path}" for path in (MCP_PATH, A2A_PATH)),
    ]


def test_announcements() -> None:
    """The names that `announce` takes."""
    assert column("Announcements", "name") == [*ANNOUNCEMENTS]


async def test_paths_of_assistants() -> None:
    """Each has a row, with its methods."""
    options = Assistants("https://shop.example", registration=True)
    broker = MemoryBroker()

    async def check(_: Request) -> None:
        """Let everybody in."""

    endpoint = AssistantsEndpoint(
        options, Visitors(b""), broker, VisitorPages(broker.pages(), str), check, Manifest
    )
    made: dict[str, set[str]] = {}
    for route in endpoint.routes():
        made.setdefault(route.path, set()).update((route.methods or set()) - {"HEAD"})

    assert made == {
        row["path"].strip("`"): set(row["methods"].split(", "))
        for row in rows("The visitor's own assistant")
    }
    assert column("The visitor's own assistant", "name", 1)[-1] == COOKIE


def test_use_of_the_tools() -> None:
    """The methods of the path, its errors, and the metrics."""
    endpoint, counts = inspect.getsource(usage_endpoint), inspect.getsource(tool_usage)
    body = inspect.getsource(request_body)

    assert column("Use of the tools", "method") == re.findall(r'methods=\["(\w+)"\]', endpoint)
    refused = {
        (int(row["status"]), kind)
        for row in rows("Use of the tools", 1)
        for kind in re.findall(r"`(\w+)`", row["kind"])
    }
    own = re.findall(r'_refused\((\d+), "(\w+)"', endpoint)
    checked = re.findall(r'RequestError\(\s+(415), "?\s*"(\w+)"', re.sub(r",\s+", ", ", body))
    found = {(int(status), kind) for status, kind in own + checked}
    # Nobody reads the answer to a page that went away.
    found -= {(400, "cancelled")}
    assert refused == found | {
        *((403, "wrong_origin"), (403, "invalid_page_token"), (429, "rate_limit_exceeded")),
    }
    metrics = column("Use of the tools", "metric of OpenTelemetry", 2)
    assert sorted(metrics) == sorted(re.findall(r'"(webagent\.tool\.\w+)"', counts))


def test_checks_of_a_django_project() -> None:
    """Each id has a row, and there is no other."""
    named = re.findall(r'"(webagent\.[A-Z]\d{3})"', inspect.getsource(apps))

    assert column("In a Django project", "id") == sorted(named)
