const SAILINGS = [
  { from: "Ness", to: "Holm", leaves: "08:10" },
  { from: "Ness", to: "Holm", leaves: "16:40" },
  { from: "Holm", to: "Stack", leaves: "11:05" },
];
const PORTS = { type: "string", enum: ["Ness", "Holm", "Stack"] };
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function register(definition, options) {
  await document.modelContext.registerTool(definition, options);
}

// The timetable comes from a slow server, and first without the days.
async function timetable() {
  await wait(2200);
  const first = new AbortController();
  const between = ({ from, to }) => SAILINGS.filter((one) => one.from === from && one.to === to);
  await register(
    {
      name: "find_sailings",
      description: "Lists the sailings between two ports.",
      inputSchema: { type: "object", properties: { from: PORTS, to: PORTS }, required: ["from", "to"] },
      annotations: { readOnlyHint: true },
      execute: async (input) => ({ sailings: between(input) }),
    },
    { signal: first.signal },
  );
  document.getElementById("status").textContent = "The timetable is here.";
  await wait(1500);
  first.abort();
  await register({
    name: "find_sailings",
    description: "Lists the sailings between two ports on a day.",
    inputSchema: {
      type: "object",
      properties: { from: PORTS, to: PORTS, day: { type: "string", format: "date", description: "Day of the sailing" } },
      required: ["from", "to", "day"],
    },
    annotations: { readOnlyHint: true },
    execute: async (input) => ({ day: input.day, sailings: between(input) }),
  });
}

// Functions of a part that most visitors do not need come when nothing else is to be done.
setTimeout(async () => {
  const { getNotices } = await import("./notices.js");
  globalThis.getNotices = getNotices;
}, 3000);

const plan = document.getElementById("plan");
plan.addEventListener("click", async () => {
  plan.setAttribute("aria-expanded", "true");
  const { showPlanner } = await import("./planner.js");
  showPlanner(document.getElementById("planner"));
}, { once: true });

document.getElementById("season").addEventListener("toggle", ({ target }) => {
  target.querySelector("div").innerHTML = `
    <form method="post" action="/season">
      <label>Name <input name="holder" required></label>
      <label>Month <input type="month" name="month" required></label>
      <button>Buy a season ticket</button>
    </form>`;
}, { once: true });

document.getElementById("clear").addEventListener("click", () => {
  globalThis.deleted = true;
  document.body.replaceChildren("All trips are gone.");
});

await timetable();
