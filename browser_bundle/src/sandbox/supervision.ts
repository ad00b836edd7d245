/**
 * The supervision of a program: what it sends is counted, weighed and passed on as text.
 *
 * It runs in a worker of its own. So a program that sends too much, or takes too long, holds up
 * this worker, and no load of the page delays its end. It trusts no message of the program's worker.
 */
import { cut, weigh, type Encoded } from "../base/values.ts";
import { failure, timedOut } from "./execution.ts";
import {
  floodGuard,
  forged,
  MAX_KEPT_CHARS, MAX_MESSAGE_CHARS, MAX_OPEN_CALLS, MAX_OPEN_CHARS, MAX_TIMER_MS,
} from "./limits.ts";
import { limited } from "./program_console.ts";
import {
  readMessage, type FromSupervisor, type FromWorker, type Outcome, type ToSupervisor, type ToWorker,
} from "./worker_messages.ts";

/** The worker of a program. */
interface ProgramWorker {
  send(message: ToWorker): void;
  /** Leaves it: nothing that it still sends arrives. The frame ends it. */
  end(): void;
}

interface OpenCall {
  /** The worker's number of it. */
  id: number;
  /** The weight of its arguments. */
  chars: number;
}

interface Supervision {
  fromWorker(data: unknown): void;
  fromPage(message: ToSupervisor): void;
}

/** @param send Sends the page a message. */
export function supervise(worker: ProgramWorker, send: (message: FromSupervisor) => void): Supervision {
  /** The open calls and questions, by our own numbers. */
  const open = new Map<number, OpenCall>();
  let numbers = 0;
  let openChars = 0;
  const flood = floodGuard();
  const print = limited((log) => send({ type: "log", log }));
  let over = false;
  let late = (): boolean => false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const finish = (outcome: Outcome, spoilt: boolean): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    worker.end();
    send({ type: "end", outcome: JSON.stringify(outcome), spoilt });
  };
  const start = (wait_ms: number): void => {
    const end_ms = performance.now() + wait_ms;
    const expire = (): void => finish(failure(timedOut(wait_ms)), true);
    timer = setTimeout(expire, Math.min(wait_ms, MAX_TIMER_MS));
    late = () => {
      if (performance.now() > end_ms) expire();
      return over;
    };
  };
  const opened = (id: number, chars: number): number => {
    if (open.size >= MAX_OPEN_CALLS || openChars + chars > MAX_OPEN_CHARS) throw forged();
    open.set(++numbers, { id, chars });
    openChars += chars;
    return numbers;
  };
  const obey = (message: FromWorker): void => {
    switch (message.type) {
      case "ready":
        send(message);
        break;
      case "call": {
        const { name } = message;
        const args = textOf(message.args);
        const id = opened(message.id, weigh(message.args, MAX_MESSAGE_CHARS));
        const [shown] = cut(JSON.parse(args) as Encoded, MAX_KEPT_CHARS);
        send({ type: "call", id, name, args, shown });
        break;
      }
      case "describe":
        send({ type: "describe", id: opened(message.id, 0), name: message.name });
        break;
      case "log":
        print(message.log);
        break;
      case "end": {
        const { outcome } = message;
        finish(outcome.ok ? { ok: true, value: JSON.parse(textOf(outcome.value)) as Encoded } : outcome, false);
      }
    }
  };
  return {
    fromWorker(data) {
      // This worker is busy with what the program sends, so its timer can be late too.
      if (over || late()) return;
      try {
        flood();
        const message = readMessage(data);
        if (!message) throw forged();
        obey(message);
      } catch (thrown) {
        finish(failure(thrown), true);
      }
    },
    fromPage(message) {
      if (over) return;
      if (message.type === "run") {
        start(message.wait_ms);
        worker.send({ type: "run", code: message.code, names: message.names });
        return;
      }
      const call = open.get(message.id);
      if (!call) return;
      open.delete(message.id);
      openChars -= call.chars;
      worker.send({ type: "answer", id: call.id, outcome: JSON.parse(message.outcome) as Outcome });
    },
  };
}

/** The data as JSON, if it is no more than our worker sends. */
function textOf(data: Encoded): string {
  if (weigh(data, MAX_MESSAGE_CHARS) > MAX_MESSAGE_CHARS) throw forged();
  try {
    return JSON.stringify(data);
  } catch {
    throw forged();
  }
}
