/** The script of `sandbox.html`: creates a worker for each program, and ends it. */
import type { ToFrame } from "./worker_messages.ts";

const source = document.getElementById("worker")?.textContent ?? "";
const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
const workers = new Map<number, Worker>();

addEventListener("message", function adopt({ source: sender, data, ports: [port] }) {
  if (sender !== parent || data !== "webagent-sandbox" || !port) return;
  removeEventListener("message", adopt);
  port.onmessage = ({ data: message, ports }: MessageEvent<ToFrame>) => {
    if (message.type === "open") open(message.id, ports);
    else close(message.id);
  };
  port.postMessage("ready");
});

function open(id: number, ports: readonly MessagePort[]): void {
  const worker = new Worker(address);
  worker.onerror = (event) => event.preventDefault();
  workers.set(id, worker);
  worker.postMessage(null, [...ports]);
}

function close(id: number): void {
  workers.get(id)?.terminate();
  workers.delete(id);
}
