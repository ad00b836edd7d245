"""A running log with a login: FastAPI, and the agent in its pages."""

import os
from html import escape
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI, Form, HTTPException
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from pydantic import BaseModel, Field
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request

from webagent.errors import NotLoggedIn
from webagent_site import WebAgent
from webagent_site.tools.frameworks import starlette_routes

HERE = Path(__file__).parent


class Run(BaseModel):
    """A run, by its length."""

    km: Annotated[float, Field(gt=0, le=500)]


PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Running log</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <h1>Running log</h1>
    {body}
    <script src="/runs.js"></script>
  </body>
</html>
"""
LOGIN = """<form method="post" action="/login">
      <label>Name <input name="name" maxlength="40" required></label>
      <button>Log in</button>
    </form>"""
RUNS = """<p>Runs of {name}</p>
    <ul id="runs">{runs}</ul>
    <form id="add">
      <p>
        <label>Kilometres <input name="km" type="number" step="any" required></label>
        <button>Add</button>
      </p>
    </form>
    <form method="post" action="/logout"><p><button>Log out</button></p></form>"""
api = FastAPI()
# A cookie that other sites cannot send is the protection against forged requests.
api.add_middleware(
    SessionMiddleware, secret_key=os.environ.get("SECRET_KEY", os.urandom(32)), same_site="strict"
)
webagent = WebAgent(HERE / "webagents.md", model=os.environ.get("MODEL"), options={"panel": "on"})


@webagent.tool(
    effect="read",
    title="Show my runs",
    requires_login=True,
    sample_code="const runs = await global.listRuns();",
)
def listRuns(request: Request) -> list[Run]:  # noqa: N802 - its name in the page
    """List the visitor's runs, oldest first."""
    if "runner" not in request.session:
        raise NotLoggedIn("please log in first")
    return runs_of(request)


def runs_of(request: Request) -> list[Run]:
    """Return the runs in the cookie of the visitor, which every worker can read.

    A real site keeps them in a database.
    """
    return [Run(km=km) for km in request.session.get("runs", [])]


def check_login(request: Request) -> None:
    """Refuse the request of a visitor who has not logged in."""
    if "runner" not in request.session:
        raise HTTPException(403, "please log in first")


@api.get("/", response_class=HTMLResponse)
def page(request: Request) -> str:
    """Return the page, with a form for those who have not logged in."""
    name = request.session.get("runner")
    runs = "".join(f"<li>{run.km:g} km</li>" for run in runs_of(request))
    return PAGE.format(body=RUNS.format(name=escape(name), runs=runs) if name else LOGIN)


@api.post("/login")
def login(request: Request, name: Annotated[str, Form(max_length=40)]) -> RedirectResponse:
    """Open a session in the name that was typed; a real site asks for a password too."""
    request.session["runner"] = name
    return RedirectResponse("/", 303)


@api.post("/logout")
def logout(request: Request) -> RedirectResponse:
    """End the session, and with it the log of this example."""
    request.session.clear()
    return RedirectResponse("/", 303)


@api.post("/runs", dependencies=[Depends(check_login)])
def add(run: Run, request: Request) -> Run:
    """Add a run to the log of the visitor; the newest fifty fit into a cookie."""
    request.session["runs"] = [each.km for each in (*runs_of(request), run)][-50:]
    return run


@api.get("/runs.js")
def script() -> FileResponse:
    """Return the function that the manifest names."""
    return FileResponse(HERE / "runs.js")


api.router.routes.extend(starlette_routes(webagent.tools))
app = webagent.wrap(api)
