/** The worker that supervises one program: receives the ports to the page and to the program's worker. */
import { supervise } from "./supervision.ts";
import type { ToSupervisor } from "./worker_messages.ts";

addEventListener(
  "message",
  ({ ports: [page, worker] }: MessageEvent) => {
    if (page && worker) start(page, worker);
  },
  { once: true },
);

function start(page: MessagePort, worker: MessagePort): void {
  const program = supervise(
    {
      send: (message) => worker.postMessage(message),
      end: () => worker.close(),
    },
    (message) => page.postMessage(message),
  );
  worker.onmessage = ({ data }) => program.fromWorker(data);
  page.onmessage = ({ data }: MessageEvent<ToSupervisor>) => program.fromPage(data);
}
