// Texts about the shop that appear in more than one place.

export const CURRENCY = "GBP";

// contact.html has the same as options, so that its form shows from the start what it accepts.
export const TOPICS = [
  { id: "order", label: "An order" },
  { id: "find", label: "Find a book for me" },
  { id: "sell", label: "Books to sell" },
  { id: "visit", label: "Visiting the shop" },
  { id: "other", label: "Something else" },
];

// Who is at the counter, and the hours; weekdays count from Sunday, which is 0.
export const COUNTER = [
  { weekday: 2, from: 10, until: 18, host: "Ines" },
  { weekday: 3, from: 10, until: 18, host: "Bram" },
  { weekday: 4, from: 10, until: 20, host: "Odile", remark: "with tea" },
  { weekday: 5, from: 10, until: 18, host: "Kit" },
  { weekday: 6, from: 10, until: 18, host: "Ines" },
];
