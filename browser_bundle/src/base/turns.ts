/** Turns on this thread: work that takes long is done in pieces, each in a task of its own. */
const waiting: (() => void)[] = [];
let channel: MessageChannel | undefined;

/** Resolves in a task of its own, after all who wait already. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!channel) next((channel = new MessageChannel()));
  });
}

function next({ port1, port2 }: MessageChannel): void {
  port1.onmessage = () => {
    waiting.shift()?.();
    if (waiting.length) {
      port2.postMessage(null);
      return;
    }
    channel = undefined;
    port1.close();
  };
  port2.postMessage(null);
}
