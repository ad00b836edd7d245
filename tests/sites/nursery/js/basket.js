const BASKET = "fenwick.basket";

/** What is in the basket: pieces by plant. */
function basket() {
  return JSON.parse(localStorage.getItem(BASKET) ?? "{}");
}

function keepBasket(pieces) {
  localStorage.setItem(BASKET, JSON.stringify(pieces));
}

/** The basket with names and sums, as pages and tools show it. */
function basketLines() {
  const lines = Object.entries(basket()).map(([slug, pieces]) => {
    const { name, price } = plantOf(slug);
    return { slug, name, pieces, euros: Math.round(price * pieces * 100) / 100 };
  });
  return { lines, total: Math.round(lines.reduce((sum, { euros }) => sum + euros, 0) * 100) / 100 };
}

function wholePieces(pieces, least) {
  if (!Number.isInteger(pieces) || pieces < least || pieces > 50) {
    throw new Error(`pieces has to be a whole number from ${least} to 50`);
  }
  return pieces;
}
