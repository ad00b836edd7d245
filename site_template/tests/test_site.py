"""Tests of what agents can do in this shop.

    pip install "webagent-dev[testing]"
    pytest

`tools` are the functions that `webagents.md` describes, in a fresh page for each test.
"""

import pytest
from playwright.sync_api import expect


def test_the_page_has_every_tool_of_the_manifest(tools):
    tools.assert_as_declared()


def test_a_search_shows_what_it_finds(tools, agent_page):
    found = tools.searchBooks("harbour towns")
    title = found["books"][0]["title"]
    expect(agent_page.get_by_role("main").get_by_text(title).first).to_be_visible()


def test_the_basket_holds_what_was_put_into_it(tools):
    book = tools.searchBooks("harbour", 1)["books"][0]
    tools.addToBasket(book["id"], 2)
    basket = tools.getBasket()
    assert [item["bookId"] for item in basket["items"]] == [book["id"]]
    assert basket["subtotal"] == pytest.approx(2 * book["price"])


def test_the_basket_of_the_next_visitor_is_empty(tools):
    assert tools.getBasket()["items"] == []


def test_more_than_there_is_cannot_be_ordered(tools):
    book = tools.searchBooks("harbour", 1)["books"][0]
    error = tools.fails("addToBasket", book["id"], book["stock"] + 1, kind="threw")
    assert "in stock" in error.message


def test_a_profile_needs_a_login(tools):
    tools.fails("getUserProfile", kind="not_logged_in")
    tools.login("ada@catchword.example", "ropewalk14")
    assert tools.getUserProfile()["email"] == "ada@catchword.example"


def test_an_agent_finds_a_book_by_itself(agent):
    assert "The Harbour Towns" in agent.run('search for books about "harbour"').text
