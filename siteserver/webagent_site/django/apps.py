"""The Django application: `manage.py check` reports what the agent of the project lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.utils.module_loading import import_string

from webagent.diagnostics import Severity
from webagent_site.application import WebAgent
from webagent_site.errors import ConfigError, UsageError
from webagent_site.http.csp import violations

_REMEDY = 'write the path of your `WebAgent` into the settings, such as `WEBAGENT = "shop.agent.webagent"`'

_FINDINGS = {
    Severity.ERROR: (checks.Error, "webagent.E002"),
    Severity.WARNING: (checks.Warning, "webagent.W001"),
    Severity.INFO: (checks.Info, "webagent.I001"),
}


class AgentConfig(AppConfig):  # type: ignore[misc]
    """Registers the checks."""

    name = "webagent_site.django"
    label = "webagent_site"

    def ready(self) -> None:
        """Let `manage.py check` look at the agent."""
        checks.register(_check, "webagent")


def agent() -> WebAgent:
    """Return the agent of the project, which the setting `WEBAGENT` names.

    Raises:
        ConfigError: It names none.
    """
    path = getattr(settings, "WEBAGENT", None)
    if not isinstance(path, str):
        raise ConfigError(f"the setting `WEBAGENT` names no agent - {_REMEDY}")
    try:
        found = import_string(path)
    except ImportError as error:
        raise ConfigError(
            f"`{path}` of the setting `WEBAGENT` cannot be imported: {error} - {_REMEDY}"
        ) from error
    if not isinstance(found, WebAgent):
        raise ConfigError(f"`{path}` of the setting `WEBAGENT` is not a `WebAgent` - {_REMEDY}")
    return found


def _check(**_: Any) -> list[checks.CheckMessage]:
    try:
        found = agent()
    except ConfigError as error:
        return [_message(checks.Error, "webagent.E001", str(error))]
    try:
        report, notes = found.check(), found.notes()
    except UsageError as error:
        return [_message(checks.Error, "webagent.E003", str(error))]
    messages = []
    for finding in report.findings:
        kind, identifier = _FINDINGS[finding.severity]
        line = report.source.position(finding.span.start).line
        what = f"{finding.message} ({finding.rule})"
        messages.append(kind(what, finding.help, f"{report.source.path}:{line}", identifier))
    messages += [_message(checks.Warning, "webagent.W002", note) for note in notes]
    messages += [_message(checks.Warning, "webagent.W003", lack) for lack in _lacks()]
    return messages


def _message(
    kind: type[checks.CheckMessage], identifier: str, sentence: str
) -> checks.CheckMessage:
    """Return a message whose hint is the last part of a sentence, which says what to do."""
    what, dash, remedy = sentence.rpartition(" - ")
    return kind(what if dash else sentence, remedy if dash else None, id=identifier)


def _lacks() -> Iterator[str]:
    """Yield what the policy in the settings forbids of the agent."""
    for name, sources in _policies():
        policy = "; ".join(
            f"{directive} {' '.join(map(_source, [each] if isinstance(each, str) else each))}"
            for directive, each in sources.items()
            if each and not isinstance(each, bool)
        )
        for one in violations([policy], None, has_nonce=True):
            yield f"the setting `{name}` forbids {one.need.what} - {one.remedy}"


def _policies() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the policies of django-csp, and of Django itself."""
    third = getattr(settings, "CONTENT_SECURITY_POLICY", None) or {}
    for name, policy in {
        "CONTENT_SECURITY_POLICY": third.get("DIRECTIVES"),
        "SECURE_CSP": getattr(settings, "SECURE_CSP", None),
    }.items():
        if policy:
            yield name, policy


def _source(source: Any) -> str:
    """Return a source as a policy has it; both have a mark in the place of the nonce."""
    text = str(source)
    return "'nonce-0'" if "nonce" in text.lower() and not text.startswith("'") else text
