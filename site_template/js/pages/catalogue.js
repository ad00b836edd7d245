// index.html: the catalogue. Its search is in its address (?q=…&category=…), so that links,
// reloads and the back button work.

import { BOOKS } from "../data/books.js";
import { fill, html } from "../html.js";
import { PAGE_SIZE, browse, categories, findBook, readCategory } from "../shop/catalogue.js";
import { on } from "../shop/events.js";
import { drawShelf, pullOut } from "./shelf.js";
import { tile } from "./tile.js";

const form = document.querySelector("#catalogue-form");
const shelves = document.querySelector("#shelves");
const shelf = document.querySelector("#shelf");
const grid = document.querySelector("#books");
const heading = document.querySelector("#results-heading");
const count = document.querySelector("#result-count");
const more = document.querySelector("#more");
const nothing = document.querySelector("#nothing");

function show({ query, category, limit }) {
  const { books, total } = browse({ query, category, limit });
  fill(grid, html`${books.map(({ id }) => tile(findBook(id)))}`);
  heading.textContent = category || (query ? "Search results" : "All books");
  count.textContent = describe({ query, category, shown: books.length, total });
  more.hidden = books.length === total;
  more.textContent = `Show all ${total} books`;
  nothing.hidden = total > 0;
  pullOut(shelf, query || category ? books.map(({ id }) => id) : null);
  // Not while the visitor is typing: that would remove a space at the end.
  if (form.elements.q.value.trim() !== query) form.elements.q.value = query;
  for (const radio of form.elements.category) radio.checked = radio.value === category;
}

function describe({ query, category, shown, total }) {
  const number = shown < total ? `${shown} of ${total} books` : `${total} ${total === 1 ? "book" : "books"}`;
  return number + (query ? ` for “${query}”` : "") + (query && category ? ` in ${category}` : "");
}

function viewOfAddress() {
  const asked = new URLSearchParams(location.search);
  let category = "";
  try {
    category = readCategory(asked.get("category"));
  } catch {
    // A mistyped address shows every category.
  }
  const query = (asked.get("q") ?? "").trim();
  return { query, category, limit: history.state?.limit ?? PAGE_SIZE };
}

function addressOf({ query, category }) {
  const asked = new URLSearchParams();
  if (query) asked.set("q", query);
  if (category) asked.set("category", category);
  return asked.size ? `?${asked}` : location.pathname;
}

function viewOfForm() {
  const { q, category } = form.elements;
  return { query: q.value.trim(), category: category.value, limit: PAGE_SIZE };
}

/** The buttons call the same two functions as agents do. */
function askForForm() {
  const { query, limit, category } = viewOfForm();
  return query ? globalThis.searchBooks(query, limit, category) : globalThis.filterByCategory(category);
}

fill(shelves, html`${[{ name: "", count: BOOKS.length }, ...categories()].map(({ name, count: books }) => html`
  <label class="shelf-label">
    <input type="radio" name="category" value="${name}" form="catalogue-form">
    <span>${name || "All shelves"}</span> <span class="mark" aria-hidden="true">${books}</span>
  </label>`)}`);
drawShelf(shelf);
show(viewOfAddress());

on("browse", (view) => {
  const address = addressOf(view);
  // The same search again, or more of it, is not a new step in the history.
  const step = new URL(address, location.href).href === location.href ? "replaceState" : "pushState";
  history[step]({ limit: view.limit }, "", address);
  show(view);
});
addEventListener("popstate", () => show(viewOfAddress()));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  askForForm();
});
form.elements.q.addEventListener("input", () => {
  // Results follow the typing; only a finished search adds a step to the history.
  const view = viewOfForm();
  history.replaceState(null, "", addressOf(view));
  show(view);
});
shelves.addEventListener("change", askForForm);
more.addEventListener("click", () => {
  const { query, category } = viewOfForm();
  globalThis.searchBooks(query, BOOKS.length, category);
});
document.querySelector("#show-everything").addEventListener("click", () => {
  globalThis.filterByCategory("");
  form.elements.q.focus();
});
