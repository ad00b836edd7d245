// The row of spines above the catalogue: every book, as thick as its number of pages.
// A search pulls out the books that it finds. The row is a picture of the results, not a second
// list: it is hidden from assistive technology, and the mouse can still open a book.

import { numbers } from "../covers/cover.js";
import { PALETTES } from "../covers/palettes.js";
import { BOOKS } from "../data/books.js";
import { fill, html } from "../html.js";
import { bookUrl } from "../shop/catalogue.js";

const THINNEST_PAGES = 130;

export function drawShelf(shelf) {
  fill(shelf, html`${BOOKS.map(spine)}`);
  shelf.addEventListener("click", ({ target }) => {
    const { book } = target.closest("[data-book]")?.dataset ?? {};
    if (book) location.href = bookUrl(book);
  });
}

/** Pulls out the books with these ids, or no book if `ids` is null. */
export function pullOut(shelf, ids) {
  shelf.classList.toggle("is-searched", ids !== null);
  for (const each of shelf.children) {
    each.classList.toggle("is-found", ids !== null && ids.includes(each.dataset.book));
  }
}

function spine(book) {
  const { ground, paper, two } = PALETTES[book.cover.palette];
  const random = numbers(book.id);
  const height = 74 + Math.round(random() * 26);
  const thickness = Math.max(book.pages, THINNEST_PAGES);
  return html`<span class="spine" data-book="${book.id}" title="${book.title}"
    style="--ground:${ground};--words:${readable(ground)};--band:${ground === two ? paper : two};height:${height}%;flex-grow:${thickness}"
    ><span>${book.title}</span></span>`;
}

/** Black or white, whichever is easier to read on the colour. */
function readable(hex) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return r * 0.299 + g * 0.587 + b * 0.114 > 140 ? "#17202b" : "#fff";
}
