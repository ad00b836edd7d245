// Visits: an hour at the counter, on one of the next days that the shop is open. This
// demonstration has no server: the hour is only kept in this browser, and nobody receives it.
// Put your own request into arrange() and cancel().

import { COUNTER } from "../data/shop.js";
import { emit } from "./events.js";
import { local } from "./storage.js";

const KEY = "catchword.visit";
const DAYS_AHEAD = 3;
const DAY_MS = 24 * 60 * 60 * 1000;

// Another window of the shop changed it: the frame with the hours, or the page around it.
addEventListener("storage", (event) => {
  if (event.key === KEY || event.key === null) emit("visit");
});

/** The next open days with their hours, which are the shop's own time: `YYYY-MM-DDTHH:MM`. */
export function openDays() {
  const now = new Date();
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  const days = [];
  for (let ahead = 1; days.length < DAYS_AHEAD; ahead++) {
    const day = new Date(today + ahead * DAY_MS);
    const counter = COUNTER.find(({ weekday }) => weekday === day.getUTCDay());
    if (counter) days.push(openDay(day.toISOString().slice(0, 10), counter));
  }
  return days;
}

function openDay(date, { from, until, host, remark = "" }) {
  const times = Array.from({ length: until - from }, (_, i) => `${date}T${from + i}:00`);
  return { date, host, remark, times };
}

/** The hour that is arranged and who will be there, or null. */
export function visit() {
  const time = local.read(KEY);
  const day = openDays().find(({ times }) => times.includes(time));
  return day ? { time, host: day.host } : null;
}

export function arrange(time) {
  if (!openDays().some(({ times }) => times.includes(time))) {
    const days = openDays().map(({ times }) => `\`${times[0]}\` to \`${times.at(-1)}\``).join(", ");
    throw new Error(`nobody is at the counter at \`${time}\`: take a full hour from ${days}`);
  }
  local.write(KEY, time);
  emit("visit");
  return visit();
}

export function cancel() {
  local.remove(KEY);
  emit("visit");
}
