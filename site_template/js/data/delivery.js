// Delivery prices in pounds. One row of `prices` has one price for each entry of
// WEIGHT_BANDS; delivery.html and getDeliveryPrice() both read this table.

export const WEIGHT_BANDS = [
  { upToGrams: 500, label: "to 500 g" },
  { upToGrams: 1000, label: "to 1 kg" },
  { upToGrams: 2000, label: "to 2 kg" },
  { upToGrams: 5000, label: "to 5 kg" },
];

export const DELIVERY = [
  { country: "United Kingdom", codes: ["GB", "UK"], prices: [2.8, 3.4, 4.2, 6.9], days: "2 to 3" },
  { country: "Ireland", codes: ["IE"], prices: [4.9, 6.2, 8.4, 12.5], days: "3 to 5" },
  { country: "France", codes: ["FR"], prices: [5.6, 7.4, 10.2, 15.8], days: "4 to 6" },
  { country: "Germany", codes: ["DE"], prices: [5.6, 7.4, 10.2, 15.8], days: "4 to 6" },
  { country: "Netherlands", codes: ["NL"], prices: [5.2, 6.9, 9.6, 14.9], days: "3 to 5" },
  { country: "Spain", codes: ["ES"], prices: [6.1, 8.2, 11.4, 17.6], days: "5 to 8" },
  { country: "Italy", codes: ["IT"], prices: [6.1, 8.2, 11.4, 17.6], days: "5 to 8" },
  { country: "Poland", codes: ["PL"], prices: [5.9, 7.9, 10.9, 16.7], days: "5 to 7" },
  { country: "Norway", codes: ["NO"], prices: [6.8, 9.1, 12.9, 19.8], days: "5 to 8" },
  { country: "United States", codes: ["US", "USA"], prices: [8.9, 13.4, 19.6, 34.5], days: "7 to 12" },
  { country: "Canada", codes: ["CA"], prices: [8.9, 13.4, 19.6, 34.5], days: "7 to 14" },
  { country: "Australia", codes: ["AU"], prices: [9.8, 15.2, 23.4, 41], days: "9 to 16" },
];
