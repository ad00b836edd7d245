// Markup from a template in which every value is escaped, unless it is markup itself:
//   html`<li>${book.title}</li>`   html`<ul>${rows.map((row) => html`<li>${row}</li>`)}</ul>`

class Markup {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A value escaped for markup, between tags or in a quoted attribute. */
export function escape(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(escape).join("");
  if (value === null || value === undefined || value === false) return "";
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

export function html(strings, ...values) {
  return new Markup(String.raw({ raw: strings }, ...values.map(escape)));
}

/** Text that is markup already: our own drawings, never text of a visitor. */
export const markup = (text) => new Markup(text);

/** Replaces what is inside an element. Takes only the result of html``. */
export function fill(element, content) {
  if (!(content instanceof Markup)) throw new TypeError("fill() takes html`…`");
  element.innerHTML = content.text;
}

const POUNDS = new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" });
export const pounds = (amount) => POUNDS.format(amount);

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
export const day = (isoDate) => DAY.format(new Date(isoDate));

const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });
export const weekday = (isoDate) => WEEKDAY.format(new Date(isoDate));

/** "Thursday 26 November at 16:00", from the shop's own time, `YYYY-MM-DDTHH:MM`. */
export const moment = (isoTime) => {
  const [date, hour] = isoTime.split("T");
  return `${weekday(date)} at ${hour}`;
};
