/**
 * `far.js`: Python off the page's thread, in a worker of the page's own or in one that pages share.
 *
 * The page supervises the worker: while something waits for it, it is asked whether it is there. Without an answer, after
 * a crash, or when its memory is used up, the runtime is lost, and the next start gets another worker.
 */
import { describeThrown, isWebagentError, runtimeLost, type WebagentError } from "../base/errors.ts";
import { ASSETS } from "./assets.ts";
import type { Progress } from "./downloads.ts";
import { RpcChannel, RUNTIME_METHODS, type Functions, type Port } from "./rpc.ts";
import type { Place, Runtime, Start, Started, StartReport } from "./runtime.ts";

/** How often a worker is asked whether it is there. Browsers call less often in a page that is hidden, or that sleeps. */
const CHECK_MS = 1000;
/** How often in a row it may leave that unanswered: by time, a page that slept would count its sleep. */
const MOST_SILENT = 30;
/** The same while Python starts, which keeps a slow device busy. */
const MOST_SILENT_AT_START = 60;

/** Key in localStorage of the number of the shared worker; it changes when one is lost. */
const NUMBER_KEY = `webagent.worker.${ASSETS.build}`;

/** A worker and the port to it. */
interface WorkerConnection {
  port: Port;
  /** Rejects when the browser does not let it run. */
  failed: Promise<never>;
  /** Ends the worker, or closes the port of a shared one. */
  end(): void;
}

/** @param base URL of the bundle, ending in a slash. */
export function workerClient(base: string, place: Exclude<Place, "page">, visit: string): Start {
  return async (bridge, development, onProgress, onLost, withAgent) => {
    const own: Functions = { reportProgress: (progress: string) => onProgress(JSON.parse(progress) as Progress) };
    // The worker loads Python meanwhile.
    bridge.then((ours) => Object.assign(own, ours), () => {});
    const start = async (): Promise<Started> => {
      const worker = new SupervisedWorker(new URL("python_worker.js", base), place, visit, own);
      const way = JSON.parse(await worker.start(bridge, onLost, development, withAgent)) as Omit<StartReport, "runtime">;
      const runtime = RUNTIME_METHODS.map((name) => [name, (...args: unknown[]) => worker.call(name, ...args)]);
      const loader = (what: string) => () => worker.call(what) as Promise<void>;
      return {
        runtime: Object.fromEntries(runtime) as Runtime,
        way: { ...way, runtime: place },
        loadRest: loader("loadRest"),
        loadAll: loader("loadAll"),
        end: (error) => worker.end(error),
      };
    };
    try {
      return await start();
    } catch (thrown) {
      // Another page may have left a shared worker that hangs; the next one has another number.
      if (place === "shared" && isWebagentError(thrown)) return await start();
      throw thrown;
    }
  };
}

class SupervisedWorker {
  #channel: RpcChannel;
  #connection: WorkerConnection;
  #isShared: boolean;
  #number = workerNumber();
  /** Aborts with the runtime's end. */
  #over = new AbortController();
  #onLost: ((error: WebagentError) => void) | undefined;
  #lost: WebagentError | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Calls that wait for an answer. */
  #waiting = 0;
  #isAsked = false;
  #silent = 0;
  #mostSilent = MOST_SILENT;

  constructor(url: URL, place: Exclude<Place, "page">, visit: string, own: Functions) {
    this.#isShared = place === "shared";
    this.#connection = connect(url, place, `${visit} ${this.#number}`);
    this.#channel = new RpcChannel(this.#connection.port, own);
  }

  /**
   * Start Python, or find it started; the answer of the worker.
   *
   * @param bridge The functions of the page that the worker may call, from then on.
   */
  async start(bridge: Promise<unknown>, onLost: (error: WebagentError) => void, ...given: boolean[]): Promise<string> {
    if (this.#isShared) this.#followPages();
    this.#watch();
    try {
      await Promise.race([this.#ask(), this.#connection.failed]);
      await bridge;
      this.#mostSilent = MOST_SILENT_AT_START;
      const way = (await this.call("start", ...given)) as string;
      this.#mostSilent = MOST_SILENT;
      this.#onLost = onLost;
      return way;
    } catch (thrown) {
      this.#disconnect(new Error("the worker is not used"));
      throw thrown;
    }
  }

  call(name: string, ...args: unknown[]): Promise<unknown> {
    const answer = this.#channel.call(name, ...args);
    const settle = () => (this.#waiting -= 1);
    this.#waiting += 1;
    answer.then(settle, settle);
    this.#watch();
    return answer;
  }

  /** End the worker, also for the other pages that use it. */
  end(error: WebagentError): void {
    // A shared worker that hangs does not hear it before its Python is interrupted (`python_worker.ts`).
    void this.#channel.call("end");
    this.#disconnect(error);
  }

  #disconnect(error: Error): void {
    this.#over.abort();
    clearInterval(this.#timer);
    this.#channel.close(error);
    this.#connection.end();
  }

  #watch(): void {
    if (!this.#over.signal.aborted) this.#timer ??= setInterval(() => this.#check(), CHECK_MS);
  }

  #check(): void {
    this.#silent += 1;
    if (this.#silent > this.#mostSilent) this.#lose("Python does not answer");
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#ask().then(
      () => {
        this.#isAsked = false;
        this.#silent = 0;
        if (this.#waiting > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
      () => {},
    );
  }

  /** Ask whether the worker is there and Python is well; otherwise the runtime is lost. */
  async #ask(): Promise<void> {
    try {
      await this.#channel.call("here");
    } catch (thrown) {
      throw this.#lose(describeThrown(thrown)) ?? thrown;
    }
  }

  #lose(why: string): WebagentError | undefined {
    if (this.#over.signal.aborted) return this.#lost;
    if (this.#isShared && workerNumber() === this.#number) replaceWorker(this.#number);
    this.#lost = runtimeLost(why);
    this.end(this.#lost);
    this.#onLost?.(this.#lost);
    return this.#lost;
  }

  /** A shared worker outlives the page and must learn that the page was left; a sleeping page must get no messages. */
  #followPages(): void {
    // Capturing listeners run first, so that the worker answers nothing that is sent later on leaving.
    const early = { capture: true, signal: this.#over.signal };
    const follow = () => {
      if (workerNumber() !== this.#number) this.#lose("another page has lost the Python that pages share");
    };
    addEventListener("storage", follow, early);
    addEventListener("pagehide", ({ persisted }) => void this.#channel.call(persisted ? "sleep" : "leave"), early);
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      void this.#channel.call("wake");
      follow();
    }, early);
  }
}

function connect(url: URL, place: Exclude<Place, "page">, which: string): WorkerConnection {
  if (place === "worker") {
    const worker = new Worker(url, { type: "module", name: "webagent" });
    return { port: worker, failed: failure(worker), end: () => worker.terminate() };
  }
  if (!("SharedWorker" in globalThis)) throw new Error("this browser has no shared workers");
  // The name holds the build: pages of another build get a worker of their own.
  const options = { type: "module", name: `webagent ${ASSETS.build} ${which}`, extendedLifetime: true } as const;
  const worker = new SharedWorker(url, options);
  return { port: worker.port, failed: failure(worker), end: () => worker.port.close() };
}

function failure(worker: EventTarget): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = () =>
      reject(new Error("the browser does not run `python_worker.js` - see that the page's policy allows it (worker-src)"));
    worker.addEventListener("error", refuse, { once: true });
  });
}

/** The number of the worker that pages of this build share now. */
function workerNumber(): string {
  try {
    return localStorage.getItem(NUMBER_KEY) ?? "0";
  } catch {
    return "0";
  }
}

/** Let all pages use another worker from now on; those that notice the loss at the same time agree on its number. */
function replaceWorker(lost: string): void {
  try {
    localStorage.setItem(NUMBER_KEY, String((Number(lost) || 0) + 1));
  } catch {
    // A page without storage tries the same worker once more, and runs Python on its own thread then.
  }
}
