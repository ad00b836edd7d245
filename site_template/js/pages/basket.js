// basket.html: the contents of the basket, and the price of delivery.

import { cover } from "../covers/cover.js";
import { DELIVERY } from "../data/delivery.js";
import { fill, html, pounds } from "../html.js";
import { contents } from "../shop/basket.js";
import { findBook } from "../shop/catalogue.js";
import { quote } from "../shop/delivery.js";
import { on } from "../shop/events.js";
import { sentence } from "../site.js";

const list = document.querySelector("#basket-items");
const full = document.querySelector("#basket-full");
const empty = document.querySelector("#basket-empty");
const count = document.querySelector("#basket-count");
const problem = document.querySelector("#basket-problem");
const country = document.querySelector("#country");

function show() {
  const basket = contents();
  full.hidden = basket.count === 0;
  empty.hidden = basket.count > 0;
  count.textContent = basket.count === 1 ? "1 book" : `${basket.count} books`;
  showLines(basket.items);
  if (basket.count > 0) showSum(basket);
}

/** Changes the existing lines instead of drawing new ones, so that no line loses the focus. */
function showLines(items) {
  const lines = new Map([...list.children].map((each) => [each.dataset.bookId, each]));
  for (const item of items) {
    const known = lines.get(item.bookId);
    lines.delete(item.bookId);
    if (known) {
      known.querySelector("input").value = item.quantity;
      known.querySelector(".line-total").textContent = pounds(item.lineTotal);
    } else {
      list.insertAdjacentHTML("beforeend", line(item));
    }
  }
  for (const gone of lines.values()) gone.remove();
}

function line(item) {
  const book = findBook(item.bookId);
  return html`
    <li class="line" data-book-id="${item.bookId}">
      <a class="line-cover" href="${item.url}" tabindex="-1" aria-hidden="true">${cover(book)}</a>
      <div class="line-words">
        <h2 class="line-title"><a href="${item.url}">${item.title}</a></h2>
        <p class="tile-author">${item.author}</p>
        <p class="line-price">${pounds(item.price)} each</p>
      </div>
      <div class="line-amount">
        <label for="copies-${item.bookId}">Copies<span class="unseen"> of ${item.title}</span></label>
        <input id="copies-${item.bookId}" type="number" min="1" max="${book.stock}" value="${item.quantity}" inputmode="numeric">
        <button type="button" class="button-quiet" data-remove aria-label="Remove ${item.title}">Remove</button>
      </div>
      <p class="line-total price">${pounds(item.lineTotal)}</p>
    </li>`;
}

function showSum({ subtotal }) {
  document.querySelector("#subtotal").textContent = pounds(subtotal);
  const delivery = document.querySelector("#delivery-price");
  const total = document.querySelector("#total");
  const note = document.querySelector("#delivery-note");
  try {
    const { price, workingDays } = quote(country.value);
    delivery.textContent = pounds(price);
    total.textContent = pounds(subtotal + price);
    note.textContent = `${workingDays} working days.`;
  } catch (error) {
    delivery.textContent = "by quote";
    total.textContent = pounds(subtotal);
    note.textContent = sentence(error);
  }
}

async function attempt(action) {
  problem.textContent = "";
  try {
    await action();
  } catch (error) {
    problem.textContent = sentence(error);
    show();
  }
}

const bookOf = (element) => element.closest("[data-book-id]").dataset.bookId;

list.addEventListener("change", ({ target }) => {
  attempt(() => globalThis.setBasketQuantity(bookOf(target), target.valueAsNumber));
});
list.addEventListener("click", ({ target }) => {
  if (!target.closest("[data-remove]")) return;
  attempt(() => globalThis.removeFromBasket(bookOf(target)));
  // The button is removed with its line, and the heading is the nearest element that stays.
  document.querySelector("h1").focus();
});
country.addEventListener("change", () => {
  attempt(() => globalThis.getDeliveryPrice(country.value));
});

on("basket", show);
on("delivery", (price) => {
  country.value = price.country;
  show();
});

fill(country, html`${DELIVERY.map((each) => html`<option>${each.country}</option>`)}`);
show();
