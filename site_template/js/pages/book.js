// book.html?id=…: one book.

import { cover } from "../covers/cover.js";
import { BOOKS } from "../data/books.js";
import { fill, html, pounds } from "../html.js";
import { details, findBook } from "../shop/catalogue.js";
import { sentence } from "../site.js";
import { tile } from "./tile.js";

const RELATED = 4;

const view = document.querySelector("#book");
const margin = document.querySelector("#book-margin");

function show(book) {
  const { shelfMark, stock } = details(book);
  document.title = `${book.title} by ${book.author} · Catchword Books`;
  const shelfUrl = `index.html?category=${encodeURIComponent(book.category)}`;
  fill(margin, html`
    <p><a href="index.html">Catalogue</a></p>
    <p><a href="${shelfUrl}">${book.category}</a></p>
    <p class="mark mark-large">${shelfMark}</p>`);
  fill(view, html`
    <div class="book-cover">${cover(book)}</div>
    <div class="book-words">
      <h1>${book.title}</h1>
      <p class="book-author">${book.author}</p>
      <p class="lede">${book.blurb}</p>
      <p class="book-price"><span class="price">${pounds(book.price)}</span> <span class="stock">${inWords(stock)}</span></p>
      ${stock > 0 ? buyForm(stock) : html`
        <p><a class="button" href="contact.html?topic=find">Ask us to find a copy</a></p>`}
      <dl class="facts">
        <div><dt>Published</dt><dd>${book.year}</dd></div>
        <div><dt>Format</dt><dd>${book.format}</dd></div>
        <div><dt>Pages</dt><dd>${book.pages}</dd></div>
        <div><dt>Weight</dt><dd>${book.weightGrams} g</dd></div>
      </dl>
    </div>`);
  view.querySelector("form")?.addEventListener("submit", (event) => {
    event.preventDefault();
    buy(book, event.target);
  });

  const related = BOOKS.filter((each) => each.category === book.category && each.id !== book.id);
  document.querySelector("#related-heading").textContent = `Also under ${book.category}`;
  fill(document.querySelector("#related-books"), html`${related.slice(0, RELATED).map(tile)}`);
  document.querySelector("#related").hidden = false;
}

const buyForm = (stock) => html`
  <form class="buy">
    <label for="quantity">Copies</label>
    <input id="quantity" name="quantity" type="number" min="1" max="${stock}" value="1" required inputmode="numeric">
    <button class="button">Add to basket</button>
    <p class="form-note" id="buy-result" role="alert"></p>
  </form>`;

async function buy(book, form) {
  const result = form.querySelector("#buy-result");
  result.textContent = "";
  try {
    await globalThis.addToBasket(book.id, form.elements.quantity.valueAsNumber);
    fill(result, html`It is in <a href="basket.html">your basket</a>.`);
  } catch (error) {
    result.textContent = sentence(error);
  }
}

function inWords(stock) {
  if (stock === 0) return "Out of stock";
  return stock <= 2 ? `Only ${stock} left` : "In the shop, sent within a day";
}

function showMissing() {
  document.title = "No such book · Catchword Books";
  fill(view, html`
    <div class="book-words">
      <h1>We have no such book</h1>
      <p class="lede">The address names a book that is not in our catalogue. It may have been sold and not printed again.</p>
      <p><a class="button" href="index.html">Go to the catalogue</a></p>
    </div>`);
}

try {
  show(findBook(new URLSearchParams(location.search).get("id")));
} catch {
  showMissing();
}
