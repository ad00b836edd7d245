/** Runs programs in the sandbox, and trusts none of their messages. */
import { WebagentError } from "../base/errors.ts";
import { MAX_CHARS, type Encoded } from "../base/values.ts";
import { failure, type Execution } from "./execution.ts";
import { SandboxFrame, type WorkerSlot } from "./frame_host.ts";
import { MAX_MESSAGES_PER_S, MAX_OPEN_CALLS } from "./limits.ts";
import { readMessage, type FromWorker, type Outcome } from "./worker_messages.ts";

/** Stops a program; `spoilt` if it has not ended by itself. */
type Stop = (spoilt: boolean) => void;

const frames = new Map<string, Promise<SandboxFrame>>();

/** Start a program in a worker of its own; `end` gets its outcome. */
export async function startInSandbox(
  code: string,
  execution: Execution,
  base: string,
  end: (outcome: Outcome) => void,
): Promise<Stop> {
  const { slot, leave } = (await frameFor(new URL("sandbox.html", base).href)).take();
  try {
    await slot.ready;
  } catch (thrown) {
    leave(true);
    throw thrown;
  }
  serveProgram(slot, execution, end);
  slot.send({ type: "run", code, names: execution.names });
  return leave;
}

async function frameFor(url: string): Promise<SandboxFrame> {
  const before = frames.get(url);
  if (before && (await before.then(({ usable }) => usable, () => false))) return before;
  // Programs that start at the same time share the frame that the first one opens.
  const now = frames.get(url);
  if (now && now !== before) return now;
  const opening = SandboxFrame.open(url);
  frames.set(url, opening);
  return opening;
}

/** Serve a program's requests, as long as its messages are those of our worker. */
export function serveProgram(
  slot: Pick<WorkerSlot, "listen" | "send">,
  execution: Execution,
  end: (outcome: Outcome) => void,
): void {
  let open = 0;
  let second = 0;
  let messages = 0;
  let over = false;
  const finish = (outcome: Outcome): void => {
    over = true;
    end(outcome);
  };
  const answer = async (id: number, outcome: Promise<Outcome>): Promise<void> => {
    open += 1;
    const settled = await outcome;
    open -= 1;
    if (!over) slot.send({ type: "answer", id, outcome: settled });
  };
  const obey = (message: FromWorker): void => {
    switch (message.type) {
      case "call":
        void answer(message.id, execution.call(message.name, plain(message.args) as Encoded[]));
        break;
      case "describe":
        void answer(message.id, execution.describe(message.name));
        break;
      case "log":
        execution.print(message.log);
        break;
      case "end": {
        const { outcome } = message;
        finish(outcome.ok ? { ok: true, value: plain(outcome.value) } : outcome);
      }
    }
  };
  slot.listen((data) => {
    if (over) return;
    const now = Math.floor(performance.now() / 1000);
    messages = now === second ? messages + 1 : 1;
    second = now;
    try {
      const message = readMessage(data);
      if (!message || open > MAX_OPEN_CALLS) throw forged();
      if (messages > MAX_MESSAGES_PER_S) throw tooFrequent();
      obey(message);
    } catch (thrown) {
      finish(failure(thrown));
    }
  });
}

/** The data as plain JSON, whatever was sent. */
function plain(data: Encoded): Encoded {
  let text: string;
  try {
    text = JSON.stringify(data);
  } catch {
    throw forged();
  }
  if (text.length > 2 * MAX_CHARS) throw forged();
  return JSON.parse(text) as Encoded;
}

function forged(): WebagentError {
  return new WebagentError({
    kind: "sandbox",
    message: "the program was ended: it sent what only a tampered sandbox sends",
  });
}

function tooFrequent(): WebagentError {
  return new WebagentError({
    kind: "rate_limited",
    message: `the program was ended: it made more than ${MAX_MESSAGES_PER_S} calls and prints in a second`,
    help: "call a tool once for many items, or wait between calls",
  });
}
