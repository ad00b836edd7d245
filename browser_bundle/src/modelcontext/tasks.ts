/** Tasks of one realm, run in their order after what runs now. */
import type { Realm } from "./realm.ts";

export class TaskQueue {
  readonly #tasks: (() => void)[] = [];
  readonly #port: MessagePort;

  constructor(realm: Realm) {
    const { port1, port2 } = new realm.MessageChannel();
    port1.onmessage = () => this.#tasks.shift()?.();
    this.#port = port2;
  }

  add(task: () => void): void {
    this.#tasks.push(task);
    this.#port.postMessage(0);
  }
}
