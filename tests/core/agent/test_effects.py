import pytest

from webagent.agent.effects import effect_of_link, effect_of_path, effect_of_words


@pytest.mark.parametrize(
    ("words", "effect"),
    [
        ("Show more", "read"),
        ("Next", "read"),
        ("Menu", "read"),
        ("Search", "read"),
        ("Filters", "read"),
        ("Add to basket", "write"),
        ("Save changes", "write"),
        ("Log in", "write"),
        ("Sign up", "write"),
        ("Continue", "write"),
        ("OK", "write"),
        ("Pay £12.50", "irreversible"),
        ("Buy it now", "irreversible"),
        ("Place order", "irreversible"),
        ("Checkout", "irreversible"),
        ("Check out", "irreversible"),
        ("Delete", "irreversible"),
        ("Cancel my subscription", "irreversible"),
        ("Cancel", "write"),
        ("Send message", "irreversible"),
        ("Transfer", "irreversible"),
        ("Jetzt kaufen", "irreversible"),
        ("Supprimer le compte", "irreversible"),
        ("Playback", "read"),
        ("Borderline", "read"),
        ("", "read"),
        ("pay " * 100_000, "irreversible"),
    ],
)
def test_the_words_of_a_button_show_its_effect(words: str, effect: str) -> None:
    """Whole words count, in any case; what cannot be taken back outweighs the rest."""
    assert effect_of_words(words) == effect


@pytest.mark.parametrize(
    ("words", "effect"),
    [
        ("Order history", "read"),
        ("Send a message to us", "read"),
        ("Log in", "read"),
        ("Delete", "irreversible"),
        ("Unsubscribe", "irreversible"),
        ("Log out", "write"),
        ("Add to basket", "write"),
        ("Additional information", "read"),
        ("", "read"),
    ],
)
def test_most_links_only_open_a_page(words: str, effect: str) -> None:
    """A link does something only when its words are an order that opening a page does not fulfil."""
    assert effect_of_link(words) == effect


@pytest.mark.parametrize(
    ("path", "effect"),
    [
        ("/products/12", "read"),
        ("/account/logout", "write"),
        ("/items/5/delete?sure=1", "write"),
        ("/signOut", "write"),
        ("/cart/add?id=5", "write"),
        ("/deleted-scenes", "read"),
        ("", "read"),
    ],
)
def test_some_addresses_do_something(path: str, effect: str) -> None:
    """An address whose words are an order changes something when it is opened."""
    assert effect_of_path(path) == effect
