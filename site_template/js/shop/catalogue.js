// Finding books: by id, by words, by category.

import { BOOKS, CATEGORIES } from "../data/books.js";
import { CURRENCY } from "../data/shop.js";

/** How many books the catalogue shows before its "show all" button. */
export const PAGE_SIZE = 24;

// Addresses are made from this module's own address, so that they are right on every
// page and if the site is under a sub path.
const ROOT = new URL("../../", import.meta.url).pathname;

const byId = new Map(BOOKS.map((book) => [book.id, book]));

export function findBook(id) {
  const book = byId.get(id);
  if (!book) {
    throw new Error(`unknown book id \`${id}\`: take the \`id\` of a book that searchBooks returned`);
  }
  return book;
}

/** Like findBook, for ids from storage. */
export const knowsBook = (id) => byId.has(id);

export const bookUrl = (id) => `${ROOT}book.html?id=${encodeURIComponent(id)}`;

/** "NAT TAN": the shelf and the first letters of the author's last name. */
export function shelfMark(book) {
  const { mark } = CATEGORIES.find(({ name }) => name === book.category);
  return `${mark} ${plain(book.author.split(" ").at(-1)).slice(0, 3).toUpperCase()}`;
}

export function summary(book) {
  const { id, title, author, year, category, price, stock } = book;
  return { id, title, author, year, category, price, currency: CURRENCY, stock, url: bookUrl(id) };
}

export function details(book) {
  const { format, pages, weightGrams, blurb } = book;
  return { ...summary(book), format, pages, weightGrams, shelfMark: shelfMark(book), blurb };
}

export function categories() {
  return CATEGORIES.map(({ name }) => ({
    name,
    count: BOOKS.filter((book) => book.category === name).length,
  }));
}

/** The category as we write it, for a name in any case; "" means all. */
export function readCategory(value) {
  const asked = String(value ?? "").trim().toLowerCase();
  if (asked === "" || asked === "all") return "";
  const found = CATEGORIES.find(({ name }) => name.toLowerCase() === asked);
  if (!found) {
    const names = CATEGORIES.map(({ name }) => `\`${name}\``).join(", ");
    throw new Error(`unknown category \`${value}\`: use one of ${names}`);
  }
  return found.name;
}

/** The books for a query within a category, best match first, and their number. */
export function browse({ query, category, limit }) {
  if (typeof query !== "string") throw new TypeError("`query` must be a string");
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RangeError("`limit` must be a whole number from 1");
  }
  const shelf = readCategory(category);
  const words = plain(query).split(/\s+/).filter(Boolean);
  const found = BOOKS.filter((book) => !shelf || book.category === shelf)
    .map((book) => ({ book, score: score(book, words) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score)
    .map((hit) => hit.book);
  return { books: found.slice(0, limit).map(summary), total: found.length };
}

/**
 * 0 unless every word of the query begins a word of the book. Only beginnings count:
 * "art" should not find "quarter", and "harb" should find "harbour" while typing.
 */
function score(book, words) {
  let sum = 1;
  for (const word of words) {
    if (startsIn(book.title, word)) sum += 9;
    else if (startsIn(book.author, word)) sum += 6;
    else if (startsIn(`${book.category} ${book.year} ${book.format}`, word)) sum += 3;
    else if (startsIn(book.blurb, word)) sum += 1;
    else return 0;
  }
  return sum;
}

const startsIn = (text, word) => ` ${plain(text)}`.includes(` ${word}`);

/** Lower case, no accents, and nothing but letters and digits between spaces. */
function plain(text) {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
