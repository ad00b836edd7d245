const PLANTS = [
  { slug: "lavender", name: "Lavender", latin: "Lavandula angustifolia", light: "sun", height: 60, price: 4.5 },
  { slug: "thyme", name: "Creeping thyme", latin: "Thymus serpyllum", light: "sun", height: 10, price: 3.2 },
  { slug: "sage", name: "Wood sage", latin: "Teucrium scorodonia", light: "half-shade", height: 45, price: 4.0 },
  { slug: "hellebore", name: "Stinking hellebore", latin: "Helleborus foetidus", light: "shade", height: 55, price: 7.8 },
  { slug: "fern", name: "Hart's-tongue fern", latin: "Asplenium scolopendrium", light: "shade", height: 40, price: 6.4 },
  { slug: "geranium", name: "Dusky crane's-bill", latin: "Geranium phaeum", light: "half-shade", height: 60, price: 5.1 },
];
const LIGHTS = ["sun", "half-shade", "shade"];

function plantOf(slug) {
  return PLANTS.find((plant) => plant.slug === slug);
}

function search(words, light) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return PLANTS.filter((plant) =>
    (!light || plant.light === light)
    && wanted.every((word) => `${plant.name} ${plant.latin}`.toLowerCase().includes(word)));
}
