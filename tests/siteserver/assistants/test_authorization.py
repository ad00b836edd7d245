"""Connecting an assistant: from the documents about the server to tokens that end."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.local_ca import Documents
from tests.siteserver.assistants.conftest import (
    BACK,
    OAUTH,
    ORIGIN,
    RESOURCE,
    Assistant,
    Browser,
    Site,
    describe,
    fields_of,
    query_of,
)
from webagent_site import Assistants, WebAgent
from webagent_site.errors import ConfigError


async def test_the_server_says_who_it_is(browser: Browser) -> None:
    """Both documents, each at the address that its own specification derives."""
    resource = (await browser.http.get("/.well-known/oauth-protected-resource/mcp")).json()
    server = (
        await browser.http.get("/.well-known/oauth-authorization-server/__webagent__/oauth")
    ).json()

    assert resource["resource"] == RESOURCE
    assert resource["authorization_servers"] == [server["issuer"]] == [OAUTH]
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["client_id_metadata_document_supported"] is True
    assert server["authorization_response_iss_parameter_supported"] is True
    assert "registration_endpoint" not in server


async def test_below_a_mount_all_addresses_are_there(site: Site, assistant: Assistant) -> None:
    """The documents, and the page that asks."""
    browser = Browser(site(mount="/shop"))
    issuer = f"{ORIGIN}/shop/__webagent__/oauth"
    found = (await browser.http.get(f"{issuer}/.well-known/openid-configuration")).json()
    resource = await browser.http.get("/shop/.well-known/oauth-protected-resource/mcp")
    asks = {**assistant.asks, "resource": f"{ORIGIN}/shop/mcp"}
    sent = await browser.http.get(found["authorization_endpoint"], params=asks)

    assert found["issuer"] == issuer
    assert resource.json()["authorization_servers"] == [issuer]
    assert sent.headers["location"].startswith(f"{issuer}/consent?")
    assert (await browser.http.get(sent.headers["location"])).status_code == 200


async def test_nothing_is_there_without_the_option(root: Path, bundle: Path) -> None:
    """Each address is the application's own."""

    async def app(scope: object, receive: object, send: object) -> None:
        raise LookupError

    wrapped = WebAgent(root / "webagents.md", bundle=bundle).wrap(app)  # type: ignore[arg-type]
    browser = Browser(wrapped)
    for path in (
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource/a2a/jsonrpc",
        "/.well-known/agent-card.json",
        "/a2a/jsonrpc",
        "/__webagent__/oauth/authorize",
        "/__webagent__/assistants",
    ):
        with pytest.raises(LookupError):
            await browser.http.get(path)


async def test_a_visitor_connects_an_assistant(browser: Browser, assistant: Assistant) -> None:
    """The page names who asks and where it returns to; a press leads there with a code, and with tokens then."""
    page = await browser.asked(assistant.asks)
    answer = await browser.press(page, "connect")
    back = query_of(answer)
    tokens = await browser.http.post(f"{OAUTH}/token", data=assistant.shows(back["code"]))

    assert "Reading helper" in page.text
    assert "shop.example" in page.text
    assert assistant.client_id.removeprefix("https://").partition("/")[0] in page.text
    assert answer.headers["location"].startswith(BACK)
    assert (back["state"], back["iss"]) == (assistant.state, OAUTH)
    assert "webagent-assistants=1; Path=/; Max-Age=31536000; SameSite=Lax; Secure" in (
        answer.headers.get_list("set-cookie")
    )
    assert tokens.status_code == 200
    assert tokens.headers["cache-control"] == "no-store"
    assert tokens.json()["expires_in"] == 600
    assert tokens.json()["token_type"] == "Bearer"
    [grant] = await browser.grants()
    assert (grant["name"], grant["tools"], grant["calls"]) == ("Reading helper", [], [])


async def test_nobody_is_connected_without_a_press(browser: Browser, assistant: Assistant) -> None:
    """Looking at the page does nothing, and the assistant learns of a no."""
    refused = await browser.press(await browser.asked(assistant.asks), "cancel")

    assert query_of(refused)["error"] == "access_denied"
    assert query_of(refused)["iss"] == OAUTH
    assert await browser.grants() == []


async def test_the_page_cannot_be_framed_and_runs_nothing(
    browser: Browser, assistant: Assistant
) -> None:
    """Its policy allows its own style, and a form to us and to the assistant."""
    page = await browser.asked(assistant.asks)
    policy = page.headers["content-security-policy"]

    assert "frame-ancestors 'none'" in policy
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "form-action 'self' http://127.0.0.1:33418" in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert page.headers["cache-control"] == "no-store"


async def test_the_page_speaks_the_language_of_the_visitor(
    browser: Browser, assistant: Assistant
) -> None:
    """One of five; English for others."""
    sent = await browser.http.get(f"{OAUTH}/authorize", params=assistant.asks)

    async def text(languages: str) -> str:
        headers = {"accept-language": languages}
        return (await browser.http.get(sent.headers["location"], headers=headers)).text

    assert "Verbinden" in await text("nl,de-AT;q=0.8,en;q=0.5")
    assert 'dir="rtl"' in await text("ar")
    assert "Connecter" in await text("fr-CA")
    assert "Cancelar" in await text("es")
    assert "Cancel<" in await text("nl")


async def test_a_name_is_text(site: Site, served: Documents) -> None:
    """Markup in it is shown, and it is cut."""
    name = "<script>alert(1)</script>\x00" + "x" * 500
    assistant = Assistant(describe(served, client_name=name))
    page = await Browser(site()).asked(assistant.asks)

    assert "<script" not in page.text
    assert "&lt;script&gt;" in page.text
    assert "x" * 61 not in page.text


@pytest.mark.parametrize(
    "fields",
    [
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"client_secret": "s"},
        {"redirect_uris": []},
        {"redirect_uris": "https://client.example/back"},
        {"redirect_uris": ["http://client.example/back"]},
        {"redirect_uris": [1]},
        {"client_name": ["a"]},
    ],
)
async def test_a_document_that_cannot_be_used_connects_nothing(
    site: Site, served: Documents, fields: dict[str, object]
) -> None:
    """The page says why."""
    page = await Browser(site()).asked(Assistant(describe(served, **fields)).asks)

    assert page.status_code == 400
    assert "nothing was connected" in page.text


# --- Attacks on the way to a code -------------------------------------------------------


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "https://evil.example/back",
        "http://127.0.0.1:33418/back/more",
        "http://127.0.0.1:33418/back?more=1",
        "http://localhost:33418/back",
        "http://127.0.0.1.evil.example:33418/back",
        "http://127.0.0.1:33418@evil.example/back",
        "https://127.0.0.1:33418/back",
    ],
)
async def test_only_an_address_that_was_named_is_returned_to(
    browser: Browser, assistant: Assistant, redirect_uri: str
) -> None:
    """Others get nothing, not even an error."""
    page = await browser.asked({**assistant.asks, "redirect_uri": redirect_uri})

    assert page.status_code == 400
    assert "location" not in page.headers


@pytest.mark.parametrize(
    ("redirect_uri", "source"),
    [
        ("https://client.example/back", "https://client.example"),
        ("https://client.example:8443/back?kind=a%20b", "https://client.example:8443"),
        ("http://[::1]:4000/back", "http://[::1]:4000"),
        ("http://localhost:4000/back", "http://localhost:4000"),
        ("com.example.app:/back", "com.example.app:"),
    ],
)
async def test_assistants_return_in_each_usual_way(
    site: Site, served: Documents, redirect_uri: str, source: str
) -> None:
    """To a site, a program or an app; the page lets the form lead there and nowhere else."""
    browser = Browser(site())
    assistant = Assistant(describe(served, redirect_uris=[redirect_uri]), redirect_uri)
    page = await browser.asked(assistant.asks)
    answer = await browser.press(page, "connect")
    shown = assistant.shows(parse_qs(urlsplit(answer.headers["location"]).query)["code"][0])

    assert answer.headers["location"].startswith(redirect_uri)
    policy = page.headers["content-security-policy"]
    assert policy.endswith(f"form-action 'self' {source}")
    tokens = await browser.http.post(f"{OAUTH}/token", data=shown)
    assert tokens.status_code == 200


async def test_a_program_chooses_its_port(browser: Browser, assistant: Assistant) -> None:
    """As RFC 8252 has it; the code is then for that port alone."""
    assistant.redirect_uri = "http://127.0.0.1:51234/back"
    answer = await browser.press(await browser.asked(assistant.asks), "connect")
    shown = assistant.shows(query_of(answer)["code"])
    other = await browser.http.post(f"{OAUTH}/token", data={**shown, "redirect_uri": BACK})

    assert answer.headers["location"].startswith("http://127.0.0.1:51234/back?")
    assert other.status_code == 400


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": f"{ORIGIN}/mcp/"}, "invalid_target"),
        ({"resource": f"{ORIGIN}/"}, "invalid_target"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"state": "x" * 3_000}, "invalid_request"),
    ],
)
async def test_a_wrong_request_is_returned_with_the_issuer(
    browser: Browser, assistant: Assistant, changed: dict[str, str], error: str
) -> None:
    """The assistant learns it, and from whom."""
    sent = await browser.asked({**assistant.asks, **changed})

    assert sent.status_code == 302
    assert query_of(sent)["error"] == error
    assert query_of(sent)["iss"] == OAUTH


async def test_a_parameter_is_there_once(browser: Browser, assistant: Assistant) -> None:
    """Two readers could take two of them."""
    twice = [*assistant.asks.items(), ("redirect_uri", "https://evil.example/back")]
    sent = await browser.http.get(f"{OAUTH}/authorize", params=twice)

    assert sent.status_code == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
        {"origin": ORIGIN, "content-type": "text/plain"},
    ],
)
async def test_no_other_page_presses_the_button(
    browser: Browser, assistant: Assistant, headers: dict[str, str]
) -> None:
    """Even with what the page holds."""
    page = await browser.asked(assistant.asks)

    assert (await browser.press(page, "connect", **headers)).status_code == 400
    assert await browser.grants() == []


async def test_no_other_visitor_presses_the_button(site: Site, assistant: Assistant) -> None:
    """A page that one has got is worth nothing to another one, with a session or without."""
    app = site()
    attacker, victim = Browser(app), Browser(app)
    page = await attacker.asked(assistant.asks)
    without = await Browser(app).press(page, "connect")
    await victim.asked(assistant.asks)
    other = await victim.press(page, "connect")

    assert (without.status_code, other.status_code) == (400, 400)


@pytest.mark.parametrize("field", ["request", "proof"])
async def test_a_changed_page_is_refused(
    browser: Browser, assistant: Assistant, field: str
) -> None:
    """Each part of it is signed."""
    fields = fields_of(await browser.asked(assistant.asks))
    changed = {**fields, field: fields[field][:-1] + ("0" if fields[field][-1] != "0" else "1")}
    data = {**changed, "answer": "connect"}
    answer = await browser.http.post(f"{OAUTH}/consent", data=data, headers={"origin": ORIGIN})

    assert answer.status_code == 400


async def test_a_visitor_who_has_changed_meanwhile_is_asked_again(
    site: Site, assistant: Assistant
) -> None:
    """The page was for another account."""
    browser = Browser(site(accounts=True), user="ada")
    page = await browser.asked(assistant.asks)
    browser.http.headers["x-user"] = "bob"

    assert (await browser.press(page, "connect")).status_code == 400


async def test_a_stranger_signs_in_first(site: Site, assistant: Assistant) -> None:
    """And comes back to the page."""
    browser = Browser(site(accounts=True, login_url="/login"))
    sent = await browser.asked(assistant.asks)
    back = query_of(sent)["next"]
    browser.http.headers["x-user"] = "ada"
    page = await browser.http.get(back)

    assert sent.headers["location"].startswith("/login?next=%2F__webagent__%2Foauth%2Fconsent")
    assert "ada" in page.text
    assert (await browser.press(page, "connect")).status_code == 303


async def test_a_site_with_accounts_connects_no_stranger(site: Site, assistant: Assistant) -> None:
    """Without an address for the login, the page says what to do."""
    page = await Browser(site(accounts=True)).asked(assistant.asks)

    assert page.status_code == 403
    assert "Sign in" in page.text


async def test_too_many_steps_of_a_stranger_are_refused(
    browser: Browser, assistant: Assistant
) -> None:
    """With the time to wait."""
    statuses = []
    for _ in range(31):
        sent = await browser.http.get(f"{OAUTH}/authorize", params=assistant.asks)
        statuses.append(sent.status_code)

    assert statuses == [302] * 30 + [429]
    assert int(sent.headers["retry-after"]) > 0


# --- Registration -----------------------------------------------------------------------


async def test_an_assistant_registers_where_the_site_lets_it(site: Site) -> None:
    """Any process of the site then knows it, and nothing was kept."""
    browser = Browser(site(registration=True))
    described = {"client_name": "Old helper", "redirect_uris": [BACK]}
    registered = await browser.http.post(f"{OAUTH}/register", json=described)
    assistant = Assistant(registered.json()["client_id"])
    page = await Browser(site(registration=True)).asked(assistant.asks)

    assert registered.status_code == 201
    assert registered.json()["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in registered.json()
    assert "Old helper" in page.text
    assert "nobody has checked this" in page.text
    assert (await browser.tokens(assistant))["access_token"]


@pytest.mark.parametrize(
    "redirects",
    [
        ["http://evil.example/back"],
        ["javascript:alert(1)//"],
        ["data:text/html,x"],
        ["https://user@evil.example/back"],
        ["https://client.example/back#part"],
        ["https://client.example;frame-ancestors/back"],
        ["file:///etc/passwd"],
        [f"https://client.example/{number}" for number in range(11)],
    ],
)
async def test_an_assistant_names_addresses_that_can_be_used(
    site: Site, redirects: list[str]
) -> None:
    """It is not registered with others."""
    answer = await Browser(site(registration=True)).http.post(
        f"{OAUTH}/register", json={"redirect_uris": redirects}
    )

    assert answer.status_code == 400


async def test_a_registration_cannot_be_forged(site: Site) -> None:
    """Nor is there any where the site does not have them."""
    browser = Browser(site(registration=True))
    registered = await browser.http.post(f"{OAUTH}/register", json={"redirect_uris": [BACK]})
    client_id = registered.json()["client_id"]
    forged = Assistant(client_id.replace("webagent_client_e", "webagent_client_f"))

    assert (await browser.asked(forged.asks)).status_code == 400
    none = await Browser(site()).http.post(f"{OAUTH}/register", json={"redirect_uris": [BACK]})
    assert none.status_code == 404


# --- Options ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin", ["http://shop.example", "shop.example", "https://shop.example/x"]
)
def test_the_origin_is_one_over_https(root: Path, bundle: Path, origin: str) -> None:
    """Tokens would travel in plain text."""
    agent = WebAgent(root / "webagents.md", bundle=bundle, assistants=Assistants(origin))
    with pytest.raises(ConfigError, match="not an origin over https"):
        agent.check()


def test_several_processes_need_a_broker(
    root: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An assistant would be unknown to most of them."""
    monkeypatch.setenv("WEB_CONCURRENCY", "3")
    monkeypatch.setenv("WEBAGENT_SECRET", "s" * 32)
    agent = WebAgent(root / "webagents.md", bundle=bundle, assistants=Assistants(ORIGIN))
    with pytest.raises(ConfigError, match="3 workers and no `broker`"):
        agent.check()


def test_the_package_of_the_protocol_is_named(
    root: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is not installed."""
    monkeypatch.setattr("webagent_site.assistants.assistants.find_spec", lambda name: None)
    agent = WebAgent(root / "webagents.md", bundle=bundle, assistants=Assistants(ORIGIN))
    with pytest.raises(ConfigError, match=r"webagent-site\[assistants\]"):
        agent.check()
