/** A worker that waits for one program, from the page's side. */
import { WebagentError } from "../base/errors.ts";
import type { ToWorker } from "./worker_messages.ts";

const START_LIMIT_MS = 30_000;

export class Seat {
  /** Resolves when the worker can take its program. */
  readonly ready: Promise<void>;
  #port: MessagePort;
  #listener: (data: unknown) => void = () => {};

  constructor(port: MessagePort) {
    this.#port = port;
    this.ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(notStarted()), START_LIMIT_MS);
      this.#listener = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    // One that was prepared ahead may never be needed.
    this.ready.catch(() => {});
    port.onmessage = ({ data }) => this.#listener(data);
  }

  /** Hear what the program says from now on. */
  listen(listener: (data: unknown) => void): void {
    this.#listener = listener;
  }

  send(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  /** Hear nothing more. */
  close(): void {
    this.#listener = () => {};
    this.#port.close();
  }
}

function notStarted(): WebagentError {
  return new WebagentError({
    kind: "sandbox",
    message: `the sandbox's worker did not start within ${START_LIMIT_MS / 1000} s`,
    help: "run the program again; a new sandbox is made for it",
  });
}
