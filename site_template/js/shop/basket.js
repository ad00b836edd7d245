// The basket: a map from book id to quantity in localStorage, so that it is kept
// for the next page and the next day.

import { CURRENCY } from "../data/shop.js";
import { bookUrl, findBook, knowsBook } from "./catalogue.js";
import { emit } from "./events.js";
import { local } from "./storage.js";

const KEY = "catchword.basket";

// Another tab of the shop changed it.
addEventListener("storage", (event) => {
  if (event.key === KEY || event.key === null) emit("basket");
});

/** The stored basket, without entries that do not belong there. */
function read() {
  const stored = Object.entries(local.read(KEY) ?? {});
  return new Map(stored.filter(([id, n]) => knowsBook(id) && Number.isInteger(n) && n > 0));
}

function write(quantities, message) {
  local.write(KEY, Object.fromEntries(quantities));
  emit("basket", { message });
}

export function contents() {
  const items = [...read()].map(([bookId, quantity]) => {
    const { title, author, price } = findBook(bookId);
    return { bookId, title, author, quantity, price, lineTotal: money(price * quantity), url: bookUrl(bookId) };
  });
  return {
    items,
    count: items.reduce((sum, item) => sum + item.quantity, 0),
    subtotal: money(items.reduce((sum, item) => sum + item.lineTotal, 0)),
    weightGrams: items.reduce((sum, item) => sum + item.quantity * findBook(item.bookId).weightGrams, 0),
    currency: CURRENCY,
  };
}

export function add(bookId, quantity = 1) {
  const book = findBook(bookId);
  wholeNumber(quantity, 1);
  const quantities = read();
  const wanted = (quantities.get(bookId) ?? 0) + quantity;
  checkStock(book, wanted);
  const copies = quantity === 1 ? "" : `${quantity} × `;
  write(quantities.set(bookId, wanted), `Added ${copies}“${book.title}” to your basket.`);
  return contents();
}

export function set(bookId, quantity) {
  const book = findBook(bookId);
  wholeNumber(quantity, 0);
  if (quantity === 0) return remove(bookId);
  checkStock(book, quantity);
  write(read().set(bookId, quantity), `Your basket has ${quantity} of “${book.title}”.`);
  return contents();
}

export function remove(bookId) {
  const { title } = findBook(bookId);
  const quantities = read();
  if (!quantities.delete(bookId)) {
    throw new Error(`“${title}” is not in the basket`);
  }
  write(quantities, `Removed “${title}” from your basket.`);
  return contents();
}

function checkStock({ title, stock }, wanted) {
  if (stock === 0) throw new Error(`“${title}” is out of stock`);
  if (wanted > stock) {
    throw new Error(`only ${stock} of “${title}” in stock: the basket cannot hold ${wanted}`);
  }
}

function wholeNumber(value, least) {
  if (!Number.isInteger(value) || value < least) {
    throw new RangeError(`\`quantity\` must be a whole number from ${least}`);
  }
}

/** Pounds to the penny: 3 * 9.99 is not 29.97 in binary. */
const money = (pounds) => Math.round(pounds * 100) / 100;
