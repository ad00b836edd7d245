const asked = new URLSearchParams(location.search);
const words = asked.get("words") ?? "";
const light = asked.get("light") ?? "";
const found = search(words, light);

document.querySelector("[role=status]").textContent = `${found.length} plants`;
document.getElementById("plants").innerHTML = found
  .map(({ slug, name, price }) => `<li><a href="/plants/${slug}.html">${name}</a>, ${price.toFixed(2)} €</li>`)
  .join("");

window.listResults = async () => ({
  words,
  plants: found.map(({ slug, name, light: where, price }) => ({ slug, name, light: where, price })),
});

window.openPlant = async (slug) => {
  if (!plantOf(slug)) throw new Error("There is no such plant: take a slug that listResults returned");
  location.assign(`/plants/${slug}.html`);
  return { slug };
};
