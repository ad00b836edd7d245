// Accounts of the demonstration. They are public on purpose: a real shop keeps its
// accounts on a server, which checks the password.

export const DEMO_LOGIN = { email: "ada@catchword.example", password: "ropewalk14" };

export const ACCOUNTS = [
  {
    ...DEMO_LOGIN,
    name: "Ada Quillfeather",
    memberSince: "2021-03-06",
    deliveryCountry: "United Kingdom",
    orders: [
      { id: "CW-20512", date: "2026-02-03", status: "on its way", total: 24.29,
        items: [{ bookId: "soup-mostly", quantity: 1 }, { bookId: "the-snail-who-missed-the-train", quantity: 1 }] },
      { id: "CW-20418", date: "2025-11-29", status: "delivered", total: 36.4,
        items: [{ bookId: "the-hedge-in-january", quantity: 1 }, { bookId: "goodnight-harbour", quantity: 2 }] },
      { id: "CW-20377", date: "2025-09-12", status: "delivered", total: 15.79,
        items: [{ bookId: "the-harbour-towns", quantity: 1 }] },
    ],
  },
  {
    email: "tom@catchword.example",
    password: "hedgerow22",
    name: "Tom Ashgrove",
    memberSince: "2024-08-19",
    deliveryCountry: "Ireland",
    orders: [],
  },
];
