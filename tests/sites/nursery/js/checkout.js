const ORDER = "fenwick.order";

function show() {
  const { lines, total } = basketLines();
  document.querySelector("tbody").innerHTML = lines
    .map(({ slug, name, pieces, euros }) =>
      `<tr><th scope="row"><a href="/plants/${slug}.html">${name}</a></th><td>${pieces}</td><td>${euros.toFixed(2)} €</td></tr>`)
    .join("");
  document.querySelector("[role=status]").textContent = lines.length ? `${total.toFixed(2)} €` : "The basket is empty.";
}

show();

window.getBasket = async () => basketLines();

window.changePieces = async (slug, pieces) => {
  if (!plantOf(slug)) throw new Error("There is no such plant");
  const inside = basket();
  if (wholePieces(pieces, 0) === 0) delete inside[slug];
  else inside[slug] = pieces;
  keepBasket(inside);
  show();
  return basketLines();
};

window.placeOrder = async (name, postcode) => {
  const { lines, total } = basketLines();
  if (!lines.length) throw new Error("The basket is empty");
  if (typeof name !== "string" || !name.trim()) throw new Error("name is missing");
  if (!/^\d{5}$/.test(postcode)) throw new Error("A postcode has five digits");
  const order = { number: `F-${1000 + lines.length}`, total };
  localStorage.setItem(ORDER, JSON.stringify(order));
  keepBasket({});
  location.assign("/thanks.html");
  return order;
};

document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, postcode } = event.target.elements;
  void window.placeOrder(name.value, postcode.value);
});
