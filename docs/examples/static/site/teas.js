const TEAS = [
  { name: "Assam", kind: "black", minutes: 4 },
  { name: "Darjeeling", kind: "black", minutes: 3 },
  { name: "Sencha", kind: "green", minutes: 2 },
  { name: "Gyokuro", kind: "green", minutes: 2 },
  { name: "Silver Needle", kind: "white", minutes: 5 },
];

function show(teas) {
  document.querySelector("#teas").replaceChildren(
    ...teas.map(({ name, kind, minutes }) =>
      Object.assign(document.createElement("li"), {
        textContent: `${name}, a ${kind} tea: ${minutes} minutes`,
      }),
    ),
  );
}

window.findTeas = (kind) => {
  const found = TEAS.filter((tea) => tea.kind === kind.toLowerCase());
  show(found);
  return found;
};
show(TEAS);
