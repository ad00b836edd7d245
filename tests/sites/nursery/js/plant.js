const plant = plantOf(document.body.dataset.plant);

window.getPlant = async () => ({ ...plant });

window.priceOf = async (pieces) => {
  const reduced = wholePieces(pieces, 1) >= 10;
  return { pieces, euros: Math.round(plant.price * pieces * (reduced ? 90 : 100)) / 100, reduced };
};

window.addToBasket = async (pieces = 1) => {
  const inside = basket();
  inside[plant.slug] = Math.min(50, (inside[plant.slug] ?? 0) + wholePieces(pieces, 1));
  keepBasket(inside);
  location.assign("/basket.html");
  return { slug: plant.slug, pieces: inside[plant.slug] };
};

document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  void window.addToBasket(event.target.elements.pieces.valueAsNumber);
});
