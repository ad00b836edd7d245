// What the shop says about itself in more than one place.

export const CURRENCY = "GBP";

export const TOPICS = [
  { id: "order", label: "An order" },
  { id: "find", label: "Find a book for me" },
  { id: "sell", label: "Books to sell" },
  { id: "visit", label: "Visiting the shop" },
  { id: "other", label: "Something else" },
];
