// The tools of this site: what its buttons call, and what webagents.md describes.
//
// Each one is a function on globalThis that takes plain values, returns plain data or
// throws an Error with a sentence in it, and reports to the page (emit) what to show. Keep
// the signatures here and in webagents.md the same.

import * as account from "./shop/account.js";
import * as basket from "./shop/basket.js";
import { PAGE_SIZE, browse, categories, details, findBook, readCategory } from "./shop/catalogue.js";
import { send } from "./shop/contact.js";
import { quote } from "./shop/delivery.js";
import { emit } from "./shop/events.js";

globalThis.searchBooks = async (query, limit = PAGE_SIZE, category = "") => {
  const result = browse({ query, limit, category });
  emit("browse", { query: query.trim(), limit, category: readCategory(category) });
  return result;
};

globalThis.filterByCategory = async (category) => {
  const result = browse({ query: "", category, limit: PAGE_SIZE });
  emit("browse", { query: "", limit: PAGE_SIZE, category: readCategory(category) });
  return result;
};

globalThis.listCategories = async () => categories();

globalThis.getBookDetails = async (bookId) => details(findBook(bookId));

globalThis.addToBasket = async (bookId, quantity = 1) => basket.add(bookId, quantity);

globalThis.getBasket = async () => basket.contents();

globalThis.setBasketQuantity = async (bookId, quantity) => basket.set(bookId, quantity);

globalThis.removeFromBasket = async (bookId) => basket.remove(bookId);

globalThis.getDeliveryPrice = async (country, weightGrams) => {
  const result = quote(country, weightGrams);
  emit("delivery", result);
  return result;
};

globalThis.login = async (email, password) => account.logIn(email, password);

globalThis.getUserProfile = async () => account.profile();

globalThis.logout = async () => {
  account.logOut();
  return { loggedIn: false };
};

globalThis.sendContactMessage = async (name, email, topic, message, newsletter = false) => {
  const receipt = send({ name, email, topic, message, newsletter });
  emit("message", receipt);
  return receipt;
};
