const EVENTS = [
  { title: "Fiddle evening", kind: "music", date: "2026-03-06", seats: 80 },
  { title: "Spring market", kind: "market", date: "2026-03-21", seats: null },
  { title: "Table tennis", kind: "sport", date: "2026-03-24", seats: 12 },
  { title: "Choir of the isles", kind: "music", date: "2026-04-11", seats: 110 },
  { title: "Seed swap", kind: "market", date: "2026-04-18", seats: null },
];
const ROOMS = { large: { people: 120, euros: 30 }, small: { people: 40, euros: 14 }, kitchen: { people: 8, euros: 9 } };

/** Answers a form here, for the visitor and for an agent. */
function answer(id, work) {
  const form = document.getElementById(id);
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const result = work(new FormData(form), form);
    if (event.agentInvoked) event.respondWith(Promise.resolve(result));
  });
}

answer("events", (asked) => {
  const month = asked.get("month");
  const kind = asked.get("kind");
  const events = EVENTS.filter((one) => (!month || one.date.startsWith(month)) && (!kind || one.kind === kind));
  document.getElementById("found").innerHTML = events
    .map(({ title, date }) => `<li>${date}: ${title}</li>`)
    .join("");
  return { events, total: events.length };
});

answer("price", (asked, form) => {
  const { euros } = ROOMS[asked.get("room")];
  const full = euros * Number(asked.get("hours"));
  const price = { euros: asked.has("resident") ? full / 2 : full, deposit: asked.get("room") === "kitchen" ? 50 : 100 };
  form.querySelector("output").textContent = `${price.euros} €, and a deposit of ${price.deposit} €`;
  return price;
});

answer("free", (asked, form) => {
  const day = asked.get("day");
  const people = Number(asked.get("people") || 1);
  const taken = EVENTS.some(({ date }) => date === day);
  const rooms = Object.entries(ROOMS)
    .filter(([name, room]) => room.people >= people && !(taken && name === "large"))
    .map(([room, { people: places }]) => ({ room, places }));
  form.querySelector("output").textContent = rooms.map(({ room }) => room).join(", ") || "none";
  return { day, rooms };
});

answer("fault", (asked, form) => {
  const faults = JSON.parse(localStorage.getItem("ness.faults") ?? "[]");
  faults.push({ where: asked.get("where"), what: asked.get("what"), concerns: asked.getAll("concerns") });
  localStorage.setItem("ness.faults", JSON.stringify(faults));
  form.querySelector("output").textContent = "Thank you, we will see to it.";
  return { number: faults.length, concerns: faults.at(-1).concerns };
});
