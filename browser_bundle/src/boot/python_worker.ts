/** `python_worker.js`: Python in a worker, for the page that made it or for all that share it. */
import type { Progress } from "./downloads.ts";
import { startPython, type PageRuntime, type Python } from "./python.ts";
import { BRIDGE_METHODS, RpcChannel, RUNTIME_METHODS, type Functions, type Port } from "./rpc.ts";
import type { PageBridge } from "./runtime.ts";

/** The bundle's folder. */
const BASE = new URL("./", location.href).href;

const isShared = "SharedWorkerGlobalScope" in globalThis;
const starting = new Set<PageClient>();
let python: Promise<Python> | undefined;
let progress: Progress | undefined;
/** Python, once it runs. */
let running: Python | undefined;
let agentWanted = false;

/** How long Python may compute at a stretch; no page waits as long (`worker_client.ts`). */
const MOST_BUSY_S = 60;
/** How long it may then clean up. */
const CLEANUP_S = 5;

/**
 * Interrupts a Python that hangs: a shared worker cannot be ended from outside, and would use a processor until
 * the browser is closed.
 */
class HangSignal {
  #isBusy = false;
  #busy_s = 0;
  #counted_ms = 0;

  /** The signal to interrupt, or 0. */
  get 0(): number {
    const now = performance.now();
    if (!this.#isBusy) {
      this.#isBusy = true;
      this.#busy_s = 0;
      this.#counted_ms = now;
      setTimeout(() => (this.#isBusy = false));
    }
    if (now - this.#counted_ms >= 1000) {
      // A computer that was asleep has been busy for one second, not for an hour.
      this.#busy_s += 1;
      this.#counted_ms = now;
    }
    if (this.#busy_s < MOST_BUSY_S) return 0;
    this.#busy_s -= CLEANUP_S;
    return 2;
  }

  /** Python takes back what it has read. */
  set 0(_: number) {}
}

/** The one Python of this worker; after a failed start the next page tries again. */
function pythonOnce(): Promise<Python> {
  const onProgress = (now: Progress) => {
    progress = now;
    for (const client of starting) client.reportProgress(now);
  };
  python ??= startPython(BASE, onProgress, () => agentWanted).then(
    (started) => {
      if (isShared) started.interruptBy(new HangSignal());
      return (running = started);
    },
    (thrown: unknown) => {
      python = undefined;
      throw thrown;
    },
  );
  return python;
}

/** A page that uses this worker, with a runtime of its own. */
class PageClient {
  #channel: RpcChannel;
  #page: PageRuntime | undefined;
  #left = false;

  constructor(port: Port) {
    const own: Functions = {
      // The page asks, because a worker that hangs reports nothing.
      here: () => running?.check(),
      end: () => close(),
      start: (development: boolean, withAgent: boolean) => {
        agentWanted ||= withAgent;
        return this.#start(own, development);
      },
      sleep: () => this.#channel.hold(),
      wake: () => this.#channel.release(),
      leave: () => this.leave(),
    };
    this.#channel = new RpcChannel(port, own);
  }

  reportProgress(now: Progress): void {
    void this.#channel.call("reportProgress", JSON.stringify(now));
  }

  /** The page is gone: drop its calls and its run. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    starting.delete(this);
    this.#page?.abandon_run();
    this.#channel.close(new Error("the page is gone"));
    this.#page?.destroy();
  }

  /** @param own Receives the methods that the page may call from now on. */
  async #start(own: Functions, development: boolean): Promise<string> {
    starting.add(this);
    let here: Python;
    try {
      if (python && progress) this.reportProgress(progress);
      here = await pythonOnce();
    } finally {
      starting.delete(this);
    }
    if (this.#left) throw new Error("the page is gone");
    const bridge = BRIDGE_METHODS.map((name) => [name, (...args: unknown[]) => this.#channel.call(name, ...args)]);
    const page = here.open(Object.fromEntries(bridge) as PageBridge, development);
    this.#page = page;
    for (const name of RUNTIME_METHODS) own[name] = (...args: unknown[]) => (page[name] as Functions[string])(...args);
    Object.assign(own, { loadRest: here.loadRest, loadAll: here.loadAll });
    return JSON.stringify(here.way);
  }
}

// The page that asks for it learns why it failed.
pythonOnce().catch(() => {});

if (isShared) {
  addEventListener("connect", (event) => {
    const [port] = (event as MessageEvent).ports;
    if (!port) return;
    const client = new PageClient(port);
    // Browsers without this event are covered by the page, which calls `leave` itself.
    port.addEventListener("close", () => client.leave());
  });
} else {
  new PageClient(globalThis);
}
