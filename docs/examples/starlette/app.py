"""A reading list with a login: Starlette, and the agent in its pages."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from webagent_site import WebAgent

HERE = Path(__file__).parent
LISTS: dict[str, list[dict[str, str]]] = {}
PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Reading list</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <h1>Reading list</h1>
    {body}
    <script src="/list.js"></script>
  </body>
</html>
"""
LOGIN = """<form method="post" action="/login">
      <label>Name <input name="reader" required></label>
      <button>Log in</button>
    </form>"""
BOOKS = """<p>Books of {reader}</p>
    <ul id="books"></ul>
    <form id="add">
      <p>
        <label>Title <input name="title" required></label>
        <button>Add</button>
      </p>
    </form>
    <form method="post" action="/logout"><p><button>Log out</button></p></form>"""
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:"


async def page(request: Request) -> Response:
    """Return the page, with a form for those who have not logged in."""
    reader = request.session.get("reader")
    body = BOOKS.format(reader=escape(reader)) if reader else LOGIN
    return HTMLResponse(PAGE.format(body=body), headers={"content-security-policy": POLICY})


async def login(request: Request) -> Response:
    """Open a session in the name that was typed; a real site asks for a password too."""
    async with request.form() as form:
        request.session["reader"] = str(form.get("reader", ""))[:40]
    return RedirectResponse("/", 303)


async def logout(request: Request) -> Response:
    """End the session."""
    request.session.clear()
    return RedirectResponse("/", 303)


async def books(request: Request) -> Response:
    """Return the books of the reader, after adding one to a POST."""
    reader = request.session.get("reader")
    if not reader:
        return JSONResponse({"message": "please log in first"}, 403)
    own = LISTS.setdefault(reader, [])
    if request.method == "POST":
        own.append({"title": str((await request.json())["title"])[:200]})
    return JSONResponse(own)


async def script(_: Request) -> Response:
    """Return the functions that the manifest names."""
    return Response((HERE / "list.js").read_bytes(), media_type="text/javascript")


routes = [
    Route("/", page),
    Route("/login", login, methods=["POST"]),
    Route("/logout", logout, methods=["POST"]),
    Route("/books", books, methods=["GET", "POST"]),
    Route("/list.js", script),
]
# A cookie that other sites cannot send is Starlette's protection against forged requests.
session = Middleware(
    SessionMiddleware, secret_key=os.environ.get("SECRET_KEY", os.urandom(32)), same_site="strict"
)
webagent = WebAgent(HERE / "webagents.md", model=os.environ.get("MODEL"), options={"panel": "on"})
app = webagent.wrap(Starlette(routes=routes, middleware=[session]))
