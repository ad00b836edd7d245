"""What is done on a page itself, where no tool fits: open, click, search, fill in, read."""

from webagent.agent.deterministic.pages.actions import Act, PageActions, PageTask
from webagent.agent.deterministic.pages.fields import only_fills_in
from webagent.agent.deterministic.pages.intents import PageIntent, intent_of
from webagent.agent.deterministic.pages.offered import (
    asks_what_there_is,
    closed,
    link_to,
    spelled,
    things_on,
    what_there_is,
)
from webagent.agent.deterministic.pages.passages import Passage

__all__ = [
    "Act",
    "PageActions",
    "PageIntent",
    "PageTask",
    "Passage",
    "asks_what_there_is",
    "closed",
    "intent_of",
    "link_to",
    "only_fills_in",
    "spelled",
    "things_on",
    "what_there_is",
]
