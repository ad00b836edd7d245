/** The worker that supervises one program: receives the address of its worker, and the port to the page. */
import { supervise } from "./supervision.ts";
import type { ToSupervisor } from "./worker_messages.ts";

addEventListener(
  "message",
  ({ data: address, ports: [page] }: MessageEvent<string>) => {
    if (page) start(address, page);
  },
  { once: true },
);

function start(address: string, page: MessagePort): void {
  const worker = new Worker(address);
  worker.onerror = (event) => event.preventDefault();
  const { port1: port, port2 } = new MessageChannel();
  const program = supervise(
    {
      send: (message) => port.postMessage(message),
      end() {
        port.close();
        worker.terminate();
      },
    },
    (message) => page.postMessage(message),
  );
  port.onmessage = ({ data }) => program.fromWorker(data);
  page.onmessage = ({ data }: MessageEvent<ToSupervisor>) => program.fromPage(data);
  worker.postMessage(null, [port2]);
}
