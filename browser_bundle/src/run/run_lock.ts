/** One page at a time holds a run: a Web Lock, or where there are none, a question to all tabs. */

export interface Lock {
  /** Let others have it. */
  release(): void;
}

/** How long other tabs may take to answer. */
const ANSWER_MS = 400;

/**
 * Take the lock of a run; null when another page keeps it.
 *
 * @param patience_ms How long the page that was left before may take to let it go.
 */
export async function takeLock(id: string, patience_ms: number): Promise<Lock | null> {
  const name = `webagent.run.${id}`;
  if (navigator.locks) {
    try {
      return await webLock(name, patience_ms);
    } catch {
      // An origin may not be allowed to have locks.
    }
  }
  return messageLock(name, patience_ms);
}

function webLock(name: string, patience_ms: number): Promise<Lock | null> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), patience_ms);
  return new Promise((resolve, reject) => {
    const hold = () =>
      new Promise<void>((release) => {
        clearTimeout(timer);
        resolve({ release });
      });
    navigator.locks.request(name, { signal: patience.signal }, hold).catch((thrown: unknown) => {
      if (patience.signal.aborted) resolve(null);
      else reject(thrown);
    });
  });
}

/** Pages without a secure origin have no locks: whoever holds the run says so when asked. */
async function messageLock(name: string, patience_ms: number): Promise<Lock | null> {
  const channel = new BroadcastChannel(name);
  const deadline = performance.now() + patience_ms;
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
