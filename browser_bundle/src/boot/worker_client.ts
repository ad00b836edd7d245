/** `far.js`: Python off the page's thread, in a worker of the page's own or in one that pages share. */
import { ASSETS } from "./assets.ts";
import type { Progress } from "./downloads.ts";
import { RpcChannel, RUNTIME_METHODS, type Port } from "./rpc.ts";
import type { Place, Runtime, Start, StartReport } from "./runtime.ts";

/** How long a worker may take to answer at all; Python starts after that. */
const START_TIMEOUT_MS = 10_000;

/** A worker and the port to it. */
interface WorkerConnection {
  port: Port;
  /** Rejects when the browser does not let it run. */
  failed: Promise<never>;
  /** Ends the worker, or closes the port of a shared one. */
  end(): void;
}

/** @param base URL of the bundle, ending in a slash. */
export function workerClient(base: string, place: Exclude<Place, "page">): Start {
  return async (bridge, development, onProgress) => {
    const ours = await bridge;
    const { port, failed, end } = connect(new URL("python_worker.js", base), place);
    const reportProgress = (progress: string) => onProgress(JSON.parse(progress) as Progress);
    const channel = new RpcChannel(port, { ...ours, reportProgress });
    try {
      await Promise.race([channel.call("here"), failed, timeout()]);
      const way = JSON.parse((await channel.call("start", development)) as string) as Omit<StartReport, "runtime">;
      if (place === "shared") reportLeaving(channel);
      const runtime = RUNTIME_METHODS.map((name) => [name, (...args: unknown[]) => channel.call(name, ...args)]);
      const loader = (what: string) => () => channel.call(what) as Promise<void>;
      return {
        runtime: Object.fromEntries(runtime) as Runtime,
        way: { ...way, runtime: place },
        loadRest: loader("loadRest"),
        loadAll: loader("loadAll"),
      };
    } catch (thrown) {
      channel.close(new Error("the worker is not used"));
      end();
      throw thrown;
    }
  };
}

function connect(url: URL, place: Exclude<Place, "page">): WorkerConnection {
  if (place === "worker") {
    const worker = new Worker(url, { type: "module", name: "webagent" });
    return { port: worker, failed: failure(worker), end: () => worker.terminate() };
  }
  if (!("SharedWorker" in globalThis)) throw new Error("this browser has no shared workers");
  // The name holds the build: pages of another build get a worker of their own.
  const options = { type: "module", name: `webagent ${ASSETS.build}`, extendedLifetime: true } as const;
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

function timeout(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error("the worker does not answer")), START_TIMEOUT_MS);
  });
}

/** A shared worker outlives the page and must learn that the page was left; a sleeping page must get no messages. */
function reportLeaving(channel: RpcChannel): void {
  // Capturing listeners run first, so that the worker answers nothing that is sent later on leaving.
  const early = { capture: true };
  addEventListener("pagehide", ({ persisted }) => void channel.call(persisted ? "sleep" : "leave"), early);
  addEventListener("pageshow", ({ persisted }) => persisted && void channel.call("wake"), early);
}
