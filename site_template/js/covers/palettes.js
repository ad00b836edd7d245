// Inks of the covers: a ground, two colours for the drawing, paper and ink for the words.

export const PALETTES = {
  sea: { ground: "#1f5f6b", one: "#e8efe4", two: "#f2b84b", paper: "#f1efe2", ink: "#12343b" },
  brick: { ground: "#b8452f", one: "#f3d9b8", two: "#33262c", paper: "#f5ead9", ink: "#3b1611" },
  ink: { ground: "#1b2845", one: "#d9dfe8", two: "#f0c65a", paper: "#e9ecf0", ink: "#131c31" },
  mustard: { ground: "#dba622", one: "#2b2a26", two: "#f7edd3", paper: "#faf3df", ink: "#2b2413" },
  rose: { ground: "#c97b84", one: "#f6e3dc", two: "#5a2f4a", paper: "#f9ece8", ink: "#43202f" },
  sky: { ground: "#8fb8cc", one: "#f4f7f5", two: "#24506b", paper: "#eef4f4", ink: "#17384c" },
  moss: { ground: "#5d7a45", one: "#e4e6b8", two: "#24351d", paper: "#eff0dc", ink: "#22301b" },
  plum: { ground: "#4b2e5a", one: "#e9c46a", two: "#d98c9a", paper: "#f0e8ee", ink: "#2f1b3a" },
  coral: { ground: "#e2725b", one: "#fdebd2", two: "#28415c", paper: "#fdf1e3", ink: "#4a1d16" },
  frost: { ground: "#cfdad7", one: "#3c5a64", two: "#b0413e", paper: "#f3f6f3", ink: "#203339" },
  straw: { ground: "#dcc48e", one: "#6e4a22", two: "#a8382c", paper: "#f6eed8", ink: "#3e2a14" },
};
