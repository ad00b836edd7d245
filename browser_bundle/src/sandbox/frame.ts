/** The script of `sandbox.html`: creates a supervisor for each program, and ends it. */
import type { ToFrame } from "./worker_messages.ts";

const supervisor = addressOf("supervisor");
const worker = addressOf("worker");
const supervisors = new Map<number, Worker>();

addEventListener("message", function adopt({ source: sender, data, ports: [port] }) {
  if (sender !== parent || data !== "webagent-sandbox" || !port) return;
  removeEventListener("message", adopt);
  port.onmessage = ({ data: message, ports }: MessageEvent<ToFrame>) => {
    if (message.type === "open") open(message.id, ports);
    else close(message.id);
  };
  port.postMessage("ready");
});

/** Address of a script that the file holds. */
function addressOf(id: string): string {
  const source = document.getElementById(id)?.textContent ?? "";
  return URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
}

function open(id: number, ports: readonly MessagePort[]): void {
  const created = new Worker(supervisor);
  created.onerror = (event) => event.preventDefault();
  supervisors.set(id, created);
  created.postMessage(worker, [...ports]);
}

function close(id: number): void {
  supervisors.get(id)?.terminate();
  supervisors.delete(id);
}
