"""The account of a visitor of a Django project, for the budgets of the model gateway."""

from __future__ import annotations

from importlib import import_module

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import aget_user
from django.db import close_old_connections
from django.http import HttpRequest
from starlette.requests import Request


async def account(request: Request) -> str | None:
    """Return the key of the user who is logged in, None for a stranger.

    The gateway answers outside of Django's middleware, so the session is read here.
    """
    # As Django does before each request of its own.
    await sync_to_async(close_old_connections)()
    asked = HttpRequest()
    sessions = import_module(settings.SESSION_ENGINE)
    asked.session = sessions.SessionStore(request.cookies.get(settings.SESSION_COOKIE_NAME))
    user = await aget_user(asked)
    return None if user.is_anonymous else str(user.pk)
