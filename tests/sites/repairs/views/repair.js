import { choice, text } from "../checks.js";
import { change, repairOf, STATUSES } from "../repairs.js";
import { offer } from "../router.js";
import { askToSignIn, visitor } from "../session.js";

export async function repair(view, signal, id) {
  if (!visitor()) return askToSignIn(view);
  const number = Number(id);
  const found = await repairOf(number);
  if (signal.aborted) return;
  document.title = `${found ? `Repair ${number}` : "No such repair"} – Tallow Street Repairs`;
  if (!found) {
    view.innerHTML = "<h1>No such repair</h1><p><a href=\"/repairs\">All repairs</a></p>";
    return;
  }
  const show = ({ device, customer, received, status, notes }) => {
    view.innerHTML = `
      <h1>Repair ${number}</h1>
      <p>${device} of ${customer}, received on ${received}: <strong>${status}</strong></p>
      <h2>Notes</h2><ul></ul>
      <p><a href="/repairs">All repairs</a></p>`;
    view.querySelector("ul").replaceChildren(...notes.map((note) => {
      const item = document.createElement("li");
      item.textContent = note;
      return item;
    }));
  };
  show(found);

  offer({
    getRepair: async () => repairOf(number),
    setStatus: async (status) => {
      const changed = await change(number, { status: choice(status, STATUSES, "status") });
      show(changed);
      return { number, status: changed.status };
    },
  }, signal);
  await document.modelContext.registerTool(
    {
      name: "addNote",
      description: "Adds a line to the notes of the repair that is shown.",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string", minLength: 1, maxLength: 500, description: "The line" } },
        required: ["text"],
      },
      annotations: { readOnlyHint: false },
      execute: async (input) => {
        const { notes } = await repairOf(number);
        const changed = await change(number, { notes: [...notes, text(input.text, "text")] });
        show(changed);
        return { number, notes: changed.notes };
      },
    },
    { signal },
  );
}
