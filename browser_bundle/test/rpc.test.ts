/** The two sides of a port call each other's functions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RpcChannel, type Functions } from "../src/boot/rpc.ts";

/** Both sides of a channel; `sent` has the messages of the first one. */
function lines(own: Functions, others: Functions): { here: RpcChannel; there: RpcChannel; sent: unknown[] } {
  const { port1, port2 } = new MessageChannel();
  const sent: unknown[] = [];
  const port = {
    postMessage: (message: unknown) => (sent.push(message), port1.postMessage(message)),
    set onmessage(take: (event: MessageEvent) => void) {
      port1.onmessage = take;
      // A port that is listened to keeps a process alive.
      (port1 as unknown as { unref(): void }).unref();
    },
  };
  const here = new RpcChannel(port, own);
  const there = new RpcChannel(port2, others);
  (port2 as unknown as { unref(): void }).unref();
  return { here, there, sent };
}

/** Keeps Node running, which ends when only ports are left. */
async function answered<Answer>(question: Promise<Answer>): Promise<Answer> {
  const awake = setInterval(() => {}, 1000);
  try {
    return await question;
  } finally {
    clearInterval(awake);
  }
}

test("calls are answered in both directions", async () => {
  const { here, there } = lines({ name: () => "here" }, { double: async (n: number) => 2 * n });

  assert.equal(await answered(here.call("double", 21)), 42);
  assert.equal(await answered(there.call("name")), "here");
});

test("an error crosses with its name and its message", async () => {
  const { here } = lines({}, {
    fail: () => {
      throw new TypeError("no such thing");
    },
  });

  await assert.rejects(answered(here.call("fail")), { name: "TypeError", message: "no such thing" });
  await assert.rejects(answered(here.call("nothing")), { message: /no longer available/ });
});

test("functions in the arguments of a call can be called until it is answered", async () => {
  let kept: ((text: string) => Promise<string>) | undefined;
  const { here } = lines({}, {
    use: async (one: (text: string) => Promise<string>, each: { shout(text: string): Promise<string> }) => {
      kept = one;
      return `${await one("a")} ${await each.shout("b")}`;
    },
  });
  const shout = async (text: string) => `${text.toUpperCase()}!`;

  assert.equal(await answered(here.call("use", (text: string) => `<${text}>`, { shout })), "<a> B!");
  assert.ok(kept);
  await assert.rejects(answered(kept("late")), { message: /no longer available/ });
});

test("closing a channel fails the waiting calls, and sends nothing more", async () => {
  const { here, sent } = lines({}, { wait: () => new Promise(() => {}) });
  const waiting = here.call("wait");
  here.close(new Error("the page is gone"));

  await assert.rejects(answered(waiting), { message: "the page is gone" });
  await assert.rejects(answered(here.call("wait")), { message: "the page is gone" });
  assert.equal(sent.length, 1);
});

test("nothing is sent while the channel is held, and everything in order afterwards", async () => {
  const heard: number[] = [];
  const { here, sent } = lines({}, { hear: (n: number) => heard.push(n) });
  here.hold();
  void here.call("hear", 1);
  const last = here.call("hear", 2);
  const before = sent.length;
  here.release();
  await answered(last);

  assert.equal(before, 0);
  assert.deepEqual(heard, [1, 2]);
});
