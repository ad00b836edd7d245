// How a tool reports to the page that something changed. The tools know nothing about the
// page they are called on; a page listens to the events that it shows.
//
//   browse   {query, category, limit}   the catalogue was searched or filtered
//   basket   {message}                  the basket has new contents
//   session  {}                         somebody logged in or out
//   delivery {country, weightGrams, …}  a delivery price was looked up
//   message  {reference, …}             a message was sent to the shop
//   visit    {}                         a visit was arranged or cancelled

const hub = new EventTarget();

export function emit(type, detail = {}) {
  hub.dispatchEvent(new CustomEvent(type, { detail }));
}

export function on(type, listener) {
  hub.addEventListener(type, (event) => listener(event.detail));
}
