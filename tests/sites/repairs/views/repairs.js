import { choice, count } from "../checks.js";
import { allRepairs, repairOf, STATUSES } from "../repairs.js";
import { navigate, offer } from "../router.js";
import { askToSignIn, visitor } from "../session.js";

export async function repairs(view, signal) {
  if (!visitor()) return askToSignIn(view);
  document.title = "Repairs – Tallow Street Repairs";
  const all = await allRepairs();
  if (signal.aborted) return;
  view.innerHTML = `
    <h1>Repairs</h1>
    <table><thead><tr><th>Number</th><th>Device</th><th>Received</th><th>Status</th></tr></thead><tbody></tbody></table>`;
  const show = (found) => {
    view.querySelector("tbody").innerHTML = found.map(({ number, device, received, status }) =>
      `<tr><th scope="row"><a href="/repairs/${number}">${number}</a></th><td>${device}</td><td>${received}</td><td>${status}</td></tr>`).join("");
  };
  show(all);

  offer({
    listRepairs: async (status, limit = 20) => {
      if (status != null) choice(status, STATUSES, "status");
      const found = all.filter((one) => status == null || one.status === status);
      const listed = found.slice(0, count(limit, "limit", 100));
      show(listed);
      return {
        repairs: listed.map(({ number, device, received, status: now }) => ({ number, device, received, status: now })),
        total: found.length,
      };
    },
    openRepair: async (number) => {
      if (!(await repairOf(number))) throw new Error(`There is no repair ${String(number)}`);
      await navigate(`/repairs/${number}`);
      return { number, path: location.pathname };
    },
  }, signal);
}
