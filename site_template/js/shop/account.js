// Logging in. The session is the email address in sessionStorage: it ends with the tab.

import { ACCOUNTS } from "../data/accounts.js";
import { CURRENCY } from "../data/shop.js";
import { emit } from "./events.js";
import { session } from "./storage.js";

const KEY = "catchword.session";

export function logIn(email, password) {
  const asked = String(email ?? "").trim().toLowerCase();
  const account = ACCOUNTS.find((each) => each.email === asked && each.password === password);
  // One message for both mistakes, so that it does not reveal which addresses have accounts.
  if (!account) throw new Error("wrong email or password");
  session.write(KEY, account.email);
  emit("session");
  return profile();
}

export function logOut() {
  session.remove(KEY);
  emit("session");
}

export function profile() {
  const email = session.read(KEY);
  const account = ACCOUNTS.find((each) => each.email === email);
  if (!account) throw new Error("Not logged in");
  const { password: _, orders, ...rest } = structuredClone(account);
  return { ...rest, orders: orders.map((order) => ({ ...order, currency: CURRENCY })) };
}
