import { allBikes, basket } from "../data.js";

export async function bike(view, [id], signal) {
  const found = (await allBikes()).find((one) => one.id === Number(id));
  document.title = `${found?.name ?? "No such bike"} – Spoke & Wheel`;
  if (!found) {
    view.innerHTML = "<h1>No such bike</h1>";
    return;
  }
  view.innerHTML = `
    <h1>${found.name}</h1>
    <p>A ${found.kind} bike, ${found.price} € a day.</p>
    <p><a href="/shop">All bikes</a></p>`;
  await document.modelContext.registerTool(
    {
      name: "rent_bike",
      description: "Puts the bike that is shown into the basket, for one or more days.",
      inputSchema: {
        type: "object",
        properties: {
          from: { type: "string", format: "date", description: "First day" },
          days: { type: "integer", minimum: 1, maximum: 14, description: "How many days" },
          helmet: { type: "boolean", description: "Whether a helmet is wanted" },
        },
        required: ["from", "days"],
      },
      annotations: { readOnlyHint: false },
      execute: async ({ from, days, helmet = false }) => {
        basket.push({ bike: found.id, from, days, helmet });
        return { bike: found.name, total: found.price * days };
      },
    },
    { signal },
  );
}
