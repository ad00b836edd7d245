const OFFERS = [
  { plant: "Beetroot", grams: 20 },
  { plant: "Marigold", grams: 5 },
];

globalThis.listOffers = async () => OFFERS;

document.querySelector("#far")?.style.setProperty("margin-top", "3000px");

document.querySelector("#more")?.addEventListener("click", () => {
  // Before the others, so that numbers by position would be wrong from here on.
  const row = document.createElement("tr");
  row.innerHTML = '<td>Sorrel <button type="button">Ask for Sorrel</button></td><td>3</td>';
  document.querySelector("#offers").prepend(row);
});

document.querySelector("#offer")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const data = new FormData(event.target);
  const file = data.get("picture");
  const words = [...data].filter(([name]) => name !== "picture").map(([name, value]) => `${name}=${value}`);
  document.querySelector("#said").textContent = `Offered: ${words.join(" ")} picture=${file?.name || "none"}`;
});
