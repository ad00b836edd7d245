"""What is done on a page itself, where no tool fits: open, click, search, fill in, read."""

from tests.goals.deterministic.pages.actions import Act, PageActions, PageTask
from tests.goals.deterministic.pages.greeting import asks_what_there_is, what_there_is
from tests.goals.deterministic.pages.intents import PageIntent, intent_of
from tests.goals.deterministic.pages.links import link_to
from tests.goals.deterministic.pages.passages import Passage

__all__ = [
    "Act",
    "PageActions",
    "PageIntent",
    "PageTask",
    "Passage",
    "asks_what_there_is",
    "intent_of",
    "link_to",
    "what_there_is",
]
