"""The tasks of each visitor: the page, and a tool."""

import os
from pathlib import Path

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from webagent.errors import NotLoggedIn
from webagent_site import WebAgent

HERE = Path(__file__).parent
webagent = WebAgent(HERE / "webagents.md", model=os.environ.get("MODEL"), options={"panel": "on"})


@webagent.tool(
    effect="read",
    title="Show my tasks",
    requires_login=True,
    sample_code="const tasks = await global.listTasks();",
)
def listTasks(request: HttpRequest) -> list[str]:  # noqa: N802 - its name in the page
    """List the visitor's tasks, oldest first."""
    if not request.user.is_authenticated:
        raise NotLoggedIn("please log in first")
    return tasks_of(request)


def tasks_of(request: HttpRequest) -> list[str]:
    """Return the tasks in the session of the visitor, which every worker can read.

    A real site has a model for them.
    """
    tasks: list[str] = request.session.get("tasks", [])
    return tasks


@login_required
def page(request: HttpRequest) -> HttpResponse:
    """Return the page of the visitor."""
    return render(request, "tasks.html", {"tasks": tasks_of(request)})


@require_POST
@login_required
def add(request: HttpRequest) -> HttpResponse:
    """Add a task to the list of the visitor."""
    title = request.POST["title"][:200]
    request.session["tasks"] = [*tasks_of(request), title]
    return JsonResponse({"title": title})


def script(_: HttpRequest) -> FileResponse:
    """Return the function that the manifest names."""
    return FileResponse((HERE / "tasks.js").open("rb"), content_type="text/javascript")
