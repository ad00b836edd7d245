from __future__ import annotations

import io
import json
import types
from collections.abc import Iterator
from typing import Any

import django
import flask
import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.test import Client, override_settings

from tests.siteserver.tools.apps import add_tools, wsgi_body
from webagent_site.tools.frameworks import django_urls, flask_blueprint, wsgi_app
from webagent_site.tools.server_tools import ServerTools

PAGE = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}


def _flask() -> flask.Flask:
    tools = ServerTools()
    add_tools(tools)

    @tools.tool(effect="read")
    def who(request: flask.Request) -> str:
        """Return the visitor's name."""
        if request.headers.get("x-abort"):
            flask.abort(403, "a reason for the log")
        return f"{flask.session.get('name')} at {request.path}"

    @tools.tool(effect="read")
    async def late() -> str:
        """Return the visitor's name, later."""
        return str(flask.session.get("name"))

    app = flask.Flask(__name__)
    app.secret_key = "key"
    app.register_blueprint(flask_blueprint(tools))

    @app.before_request
    def _read() -> None:
        if flask.request.path.endswith("/double"):
            flask.request.get_json()

    @app.post("/login")
    def _login() -> str:
        flask.session["name"] = "Ada"
        return ""

    return app


def test_functions_of_a_flask_application() -> None:
    """They have its session, in async functions too, and its `abort` counts by its status."""
    with _flask().test_client() as page:
        page.post("/login")

        def call(name: str, **headers: str) -> Any:
            return page.post(f"/__webagent__/tools/{name}", json={}, headers=PAGE | headers)

        assert call("who").json == "Ada at /__webagent__/tools/who"
        assert call("late").json == "Ada"
        refused = call("who", **{"x-abort": "1"})
        assert (refused.status_code, refused.json["error"]["kind"]) == (403, "denied")
        assert "reason" not in refused.text
        assert call("triple").status_code == 422
        twice = page.post("/__webagent__/tools/double", json={"number": 2}, headers=PAGE)
        assert twice.json == 4
        assert page.post("/__webagent__/tools/who", json={}).status_code == 403
        long = page.post(
            "/__webagent__/tools/who",
            data=b" " * 2_000_000,
            headers=PAGE,
            content_type="application/json",
        )
        assert long.status_code == 413


@pytest.fixture(name="django_page", scope="module")
def _django_page() -> Iterator[Client]:
    tools = ServerTools()
    add_tools(tools)

    @tools.tool(effect="read")
    def who(request: HttpRequest) -> str:
        """Return the visitor's name."""
        if "name" not in request.session:
            raise PermissionDenied("a reason for the log")
        return str(request.session["name"])

    urls = types.ModuleType("webagent_test_urls")
    urls.urlpatterns = django_urls(tools)  # type: ignore[attr-defined]
    # Settings are one for the process, in which other tests have applications of their own.
    if not settings.configured:
        settings.configure(SECRET_KEY="key")
        django.setup()
    with override_settings(
        ALLOWED_HOSTS=["testserver"],
        ROOT_URLCONF=urls,
        SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
        ],
    ):
        yield Client(enforce_csrf_checks=True)


def test_functions_of_a_django_application(django_page: Client) -> None:
    """They have its session, and its middleware wants the token of the page."""
    token = "a" * 32

    def call(name: str, **headers: str) -> Any:
        return django_page.post(
            f"/__webagent__/tools/{name}", "{}", "application/json", headers=PAGE | headers
        )

    forged = call("who")
    assert forged.status_code == 403
    assert "application/json" not in forged["content-type"]

    django_page.cookies["csrftoken"] = token
    guest = call("who", **{"x-csrftoken": token})
    assert (guest.status_code, guest.json()["error"]["kind"]) == (403, "denied")
    assert "reason" not in guest.content.decode()

    session = django_page.session
    session["name"] = "Ada"
    session.save()
    django_page.cookies["sessionid"] = session.session_key
    assert call("who", **{"x-csrftoken": token}).json() == "Ada"
    assert call("triple", **{"x-csrftoken": token}).status_code == 422


def test_functions_of_another_wsgi_application() -> None:
    """The function gets the environment, and a body ends where its length says."""
    tools = ServerTools()
    add_tools(tools)
    body = json.dumps({"number": 2}).encode()
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/triple",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_HOST": "shop.example",
        "HTTP_ORIGIN": "https://shop.example",
        "wsgi.input": io.BytesIO(body + b"the next request"),
    }

    assert wsgi_body(wsgi_app(tools), environ) == ("200 OK", b"6")
    for length in ("", "²", "9" * 5_000):
        refused = environ | {"CONTENT_LENGTH": length, "wsgi.input": io.BytesIO(body)}
        assert wsgi_body(wsgi_app(tools), refused)[0].startswith("4")
    script = {"REQUEST_METHOD": "GET", "PATH_INFO": f"/{tools.script_name}"}
    assert wsgi_body(wsgi_app(tools), script) == ("200 OK", tools.script().encode())
