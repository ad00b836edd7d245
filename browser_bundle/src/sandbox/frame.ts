/** The script of `sandbox.html`: creates a worker and its supervisor for each program, and ends both. */
import type { ToFrame } from "./worker_messages.ts";

const addresses = { worker: addressOf("worker"), supervisor: addressOf("supervisor") };
/** The worker and the supervisor of each program, by its number. */
const places = new Map<number, Worker[]>();

addEventListener("message", function adopt({ source: sender, data, ports: [port] }) {
  if (sender !== parent || data !== "webagent-sandbox" || !port) return;
  removeEventListener("message", adopt);
  port.onmessage = ({ data: message, ports: [page] }: MessageEvent<ToFrame>) => {
    if (message.type === "close") close(message.id);
    else if (page) open(message.id, page);
  };
  port.postMessage("ready");
});

/** Address of a script that the file holds. */
function addressOf(id: string): string {
  const source = document.getElementById(id)?.textContent ?? "";
  return URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
}

// A supervisor that creates the program's worker itself sometimes never gets it in Firefox.
function open(id: number, page: MessagePort): void {
  const { port1, port2 } = new MessageChannel();
  places.set(id, [started(addresses.worker, port1), started(addresses.supervisor, page, port2)]);
}

function started(address: string, ...ports: MessagePort[]): Worker {
  const created = new Worker(address);
  created.onerror = (event) => event.preventDefault();
  created.postMessage(null, ports);
  return created;
}

function close(id: number): void {
  for (const each of places.get(id) ?? []) each.terminate();
  places.delete(id);
}
