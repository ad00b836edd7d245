"""A guest list with a login: Flask, and the agent in its pages."""

import hmac
import os
import secrets
from pathlib import Path

from flask import Flask, abort, jsonify, redirect, render_template, request, session
from flask.typing import ResponseReturnValue

from webagent.errors import NotLoggedIn
from webagent_site import WebAgent

HERE = Path(__file__).parent
LISTS: dict[str, list[str]] = {}
app = Flask(__name__)
app.secret_key = os.environ.get("SECRET_KEY", os.urandom(32))
app.config["SESSION_COOKIE_SAMESITE"] = "Lax"
webagent = WebAgent(HERE / "webagents.md", model=os.environ.get("MODEL"), options={"panel": "on"})


@webagent.tool(
    effect="read",
    title="Show my guests",
    requires_login=True,
    sample_code="const guests = await global.listGuests();",
)
def listGuests() -> list[str]:  # noqa: N802 - its name in the page
    """List the guests of the visitor's party, in the order of their invitation."""
    if "host" not in session:
        raise NotLoggedIn("please log in first")
    return LISTS.get(session["host"], [])


@app.before_request
def check_token() -> None:
    """Refuse what another site sends: only our pages know the token of the session."""
    if request.method == "POST":
        sent = request.headers.get("x-csrftoken") or request.form.get("csrf_token", "")
        if "token" not in session or not hmac.compare_digest(
            sent.encode(), session["token"].encode()
        ):
            abort(403)


@app.get("/")
def page() -> str:
    """Return the page, with a form for those who have not logged in."""
    session.setdefault("token", secrets.token_urlsafe())
    host = session.get("host")
    return render_template(
        "page.html", host=host, guests=LISTS.get(host, []), token=session["token"]
    )


@app.post("/login")
def login() -> ResponseReturnValue:
    """Open a session in the name that was typed; a real site asks for a password too."""
    session.clear()
    session["host"] = request.form["name"][:40]
    return redirect("/", 303)


@app.post("/logout")
def logout() -> ResponseReturnValue:
    """End the session."""
    session.clear()
    return redirect("/", 303)


@app.post("/guests")
def add() -> ResponseReturnValue:
    """Add a guest to the list of the visitor."""
    if "host" not in session:
        return jsonify(message="please log in first"), 403
    name = request.form["name"][:200]
    LISTS.setdefault(session["host"], []).append(name)
    return jsonify(name=name)


webagent.init_app(app)
