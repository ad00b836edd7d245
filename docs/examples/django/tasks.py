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
LISTS: dict[int, list[str]] = {}
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
    return LISTS.get(request.user.pk, [])


@login_required
def page(request: HttpRequest) -> HttpResponse:
    """Return the page of the visitor."""
    return render(request, "tasks.html", {"tasks": LISTS.get(request.user.pk, [])})


@require_POST
@login_required
def add(request: HttpRequest) -> HttpResponse:
    """Add a task to the list of the visitor."""
    title = request.POST["title"][:200]
    LISTS.setdefault(request.user.pk, []).append(title)
    return JsonResponse({"title": title})


def script(_: HttpRequest) -> FileResponse:
    """Return the function that the manifest names."""
    return FileResponse((HERE / "tasks.js").open("rb"), content_type="text/javascript")
