import { count, text } from "../checks.js";
import { offer } from "../router.js";

let store;

// The store's list is long, and no visitor needs it at once.
async function storeList() {
  await new Promise((resolve) => setTimeout(resolve, 900));
  const answer = await fetch("/data/parts.json");
  return answer.json();
}

export async function parts(view, signal) {
  document.title = "Parts – Tallow Street Repairs";
  view.innerHTML = "<h1>Parts</h1><p role=\"status\">The list of parts is being fetched …</p><ul></ul>";
  store ??= storeList();
  const all = await store;
  if (signal.aborted) return;
  const show = (found) => {
    view.querySelector("[role=status]").textContent = `${found.length} of ${all.length} parts`;
    view.querySelector("ul").replaceChildren(...found.map(({ name, shelf }) => {
      const item = document.createElement("li");
      item.textContent = `${name}, shelf ${shelf}`;
      return item;
    }));
  };
  show(all);

  offer({
    searchParts: async (query, limit = 10) => {
      const words = text(query, "query").toLowerCase();
      const most = count(limit, "limit", 50);
      const found = all.filter(({ name }) => name.toLowerCase().includes(words)).slice(0, most);
      show(found);
      return found.map(({ id, name, shelf, euros }) => ({ id, name, shelf, euros }));
    },
    getStock: async () => Object.fromEntries(all.map(({ id, stock }) => [id, stock])),
  }, signal);
}
