/** Tasks of one realm, run in their order after what runs now. */
import type { Realm } from "./realm/window_realm.ts";

export class TaskQueue {
  readonly #tasks: (() => void)[] = [];
  readonly #endings: (() => void)[] = [];
  readonly #port: MessagePort;

  constructor(realm: Realm) {
    const { port1, port2 } = new realm.MessageChannel();
    port1.addEventListener("message", () => this.#tasks.shift()?.());
    port1.addEventListener("message", () => {
      for (const ending of this.#endings.splice(0)) ending();
    });
    port1.start();
    this.#port = port2;
  }

  add(task: () => void): void {
    this.#tasks.push(task);
    this.#port.postMessage(0);
  }

  /** Runs in the present task, but after the promise reactions that it has caused. */
  addEnding(ending: () => void): void {
    this.#endings.push(ending);
  }
}
