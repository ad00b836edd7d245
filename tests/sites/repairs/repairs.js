export const STATUSES = ["received", "waiting", "mended", "collected"];
const KEY = "tallow-street.changes";
let received;

/** All repairs, as they were received and changed since. */
export async function allRepairs() {
  received ??= fetch("/data/repairs.json").then((answer) => answer.json());
  const changes = read();
  return (await received).map((repair) => ({ ...repair, ...changes[repair.number] }));
}

export async function repairOf(number) {
  return (await allRepairs()).find((repair) => repair.number === number) ?? null;
}

export async function change(number, changed) {
  const changes = read();
  changes[number] = { ...changes[number], ...changed };
  localStorage.setItem(KEY, JSON.stringify(changes));
  return repairOf(number);
}

function read() {
  return JSON.parse(localStorage.getItem(KEY) ?? "{}");
}
