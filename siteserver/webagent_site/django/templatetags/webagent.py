"""`{% load webagent %}` and `{% webagent %}`: the tags of the agent where a template wants them."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import get_script_prefix
from django.utils.safestring import SafeString

from webagent_site.application import ACCOUNT_KEY
from webagent_site.django.apps import agent

register = template.Library()


def tags(context: Any) -> SafeString:
    """Return the tags, with the nonce of django-csp or of Django's own policy if there is one."""
    request = getattr(context, "request", None)
    nonce = context.get("csp_nonce", getattr(request, "csp_nonce", None))
    # By ASGI a request has a scope, by WSGI an environ.
    server = getattr(request, "scope", None) or getattr(request, "environ", {})
    account = server.get(ACCOUNT_KEY, "")
    root_path = get_script_prefix().rstrip("/")
    # Written by us, and each value in it is escaped.
    return SafeString(agent().tags(root_path, None if nonce is None else str(nonce), account))


register.simple_tag(tags, takes_context=True, name="webagent")
