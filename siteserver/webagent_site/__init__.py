"""The agent of `webagents.md` in a site's own application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webagent_site.application import BrokenManifest, WebAgent
    from webagent_site.assistants.assistants import Assistants

__all__ = ["Assistants", "BrokenManifest", "WebAgent"]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    # Imported late: the development server imports rooms of this package, and not this object.
    if name not in __all__:
        raise AttributeError(name)
    from webagent_site import application

    return getattr(application, name)
