/** A lock that lets one page at a time hold a run: a Web Lock, or messages between tabs. */

export interface Lock {
  /** Release the lock. */
  release(): void;
}

/** How long other tabs may take to answer. */
const ANSWER_MS = 400;

/**
 * Take the lock of a run; null when another page holds it.
 *
 * @param timeout_ms How long the previous page may take to release it.
 */
export async function takeLock(id: string, timeout_ms: number): Promise<Lock | null> {
  const name = `webagent.run.${id}`;
  if (navigator.locks) {
    try {
      return await webLock(name, timeout_ms);
    } catch {
      // Some origins may not use locks.
    }
  }
  return messageLock(name, timeout_ms);
}

function webLock(name: string, timeout_ms: number): Promise<Lock | null> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeout_ms);
  return new Promise((resolve, reject) => {
    const hold = () =>
      new Promise<void>((release) => {
        clearTimeout(timer);
        resolve({ release });
      });
    navigator.locks.request(name, { signal: timeout.signal }, hold).catch((thrown: unknown) => {
      if (timeout.signal.aborted) resolve(null);
      else reject(thrown);
    });
  });
}

/** Without a secure origin there are no Web Locks; instead the holder of a run answers messages. */
async function messageLock(name: string, timeout_ms: number): Promise<Lock | null> {
  const channel = new BroadcastChannel(name);
  const deadline = performance.now() + timeout_ms;
  while (await isHeld(channel)) {
    if (performance.now() < deadline) continue;
    channel.close();
    return null;
  }
  channel.onmessage = ({ data }) => {
    if (data === "whose") channel.postMessage("held");
  };
  return { release: () => channel.close() };
}

function isHeld(channel: BroadcastChannel): Promise<boolean> {
  return new Promise((resolve) => {
    let held = false;
    channel.onmessage = ({ data }) => {
      held ||= data === "held";
    };
    setTimeout(() => resolve(held), ANSWER_MS);
    channel.postMessage("whose");
  });
}
