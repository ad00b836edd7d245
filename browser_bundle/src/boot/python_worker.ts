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

/** How long code of the page may compute at a stretch; no page waits as long (`worker_client.ts`). */
const MOST_BUSY_S = 60;
/** How long it may then clean up. */
const CLEANUP_S = 5;
/** How often the signal is read for one look at the clock. */
const READ_OFTEN = 1000;

/**
 * Interrupts a Python that hangs: a shared worker cannot be ended from outside, and would use a processor until
 * the browser is closed.
 */
class HangSignal {
  #buffer = new Uint8Array(1);
  #reads = 0;
  #isBusy = false;
  #busy_s = 0;
  #counted_ms = 0;

  /** The signal that Python reads: 2 to interrupt, or 0. */
  read(): Uint8Array {
    this.#reads += 1;
    if (this.#reads % READ_OFTEN === 0) this.#count();
    return this.#buffer;
  }

  #count(): void {
    const now = performance.now();
    if (!this.#isBusy) {
      this.#isBusy = true;
      this.#busy_s = 0;
      this.#counted_ms = now;
      setTimeout(() => (this.#isBusy = false));
    }
    if (now - this.#counted_ms < 1000) return;
    // A computer that was asleep has been busy for one second, not for an hour.
    this.#busy_s += 1;
    this.#counted_ms = now;
    if (this.#busy_s < MOST_BUSY_S) return;
    this.#busy_s -= CLEANUP_S;
    this.#buffer[0] = 2;
  }
}

const hanging = new HangSignal();

/** The one Python of this worker; after a failed start the next page tries again. */
function pythonOnce(): Promise<Python> {
  const onProgress = (now: Progress) => {
    progress = now;
    for (const client of starting) client.reportProgress(now);
  };
  python ??= startPython(BASE, onProgress, () => agentWanted).then(
    (started) => (running = started),
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
    if (isShared) own["python"] = (code: string) => here.interruptibly(() => page.python(code), () => hanging.read());
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
