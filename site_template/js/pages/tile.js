// One book in a grid of books.

import { cover } from "../covers/cover.js";
import { html, pounds } from "../html.js";
import { bookUrl, shelfMark } from "../shop/catalogue.js";

export function tile(book) {
  return html`
    <li class="tile" data-book-id="${book.id}">
      <a class="tile-link" href="${bookUrl(book.id)}">
        ${cover(book)}
        <h3 class="tile-title">${book.title}</h3>
      </a>
      <p class="tile-author">${book.author}, ${book.year}</p>
      <p class="tile-mark mark">${shelfMark(book)}</p>
      <p class="tile-buy">
        <span class="price">${pounds(book.price)}</span>
        ${book.stock > 0
          ? html`<button type="button" class="button-quiet" data-add="${book.id}"
              aria-label="Add ${book.title} to basket">Add</button>`
          : html`<span class="sold-out">Out of stock</span>`}
      </p>
    </li>`;
}
