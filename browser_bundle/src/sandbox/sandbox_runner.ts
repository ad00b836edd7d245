/** Runs programs in the sandbox. */
import { WebagentError } from "../base/errors.ts";
import { jsonText } from "../base/values.ts";
import { failure, type Execution } from "./execution.ts";
import { SandboxFrame, type WorkerSlot } from "./frame_host.ts";
import { floodGuard, forged, MAX_OPEN_CALLS } from "./limits.ts";
import type { Outcome } from "./worker_messages.ts";

/** Stops a program; `spoilt` if it has not ended by itself. */
type Stop = (spoilt: boolean) => void;

const frames = new Map<string, Promise<SandboxFrame>>();

/** Start a program in a worker of its own; `end` gets its outcome. */
export async function startInSandbox(
  code: string,
  execution: Execution,
  base: string,
  end: (outcome: Outcome, spoilt: boolean) => void,
  wait_ms: number,
): Promise<Stop> {
  const { slot, leave } = (await frameFor(new URL("sandbox.html", base).href)).take();
  try {
    await slot.ready;
  } catch (thrown) {
    leave(true);
    throw thrown;
  }
  serveProgram(slot, execution, end);
  slot.send({ type: "run", code, names: execution.names, wait_ms });
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

/** Serve a program's requests, as long as its messages are those of our supervisor. */
export function serveProgram(
  slot: Pick<WorkerSlot, "listen" | "send">,
  execution: Execution,
  end: (outcome: Outcome, spoilt: boolean) => void,
): void {
  let open = 0;
  let over = false;
  const flood = floodGuard();
  const finish = (outcome: Outcome, spoilt: boolean): void => {
    over = true;
    end(outcome, spoilt);
  };
  const answer = async (id: number, outcome: Promise<Outcome>): Promise<void> => {
    open += 1;
    const text = jsonText(await outcome);
    open -= 1;
    if (!over) slot.send({ type: "answer", id, outcome: text });
  };
  slot.listen((message) => {
    if (over) return;
    try {
      flood();
      if (open > MAX_OPEN_CALLS) throw forged();
      switch (message.type) {
        case "call":
          void answer(message.id, execution.call(message.name, message.args, message.shown));
          break;
        case "describe":
          void answer(message.id, execution.describe(message.name));
          break;
        case "log":
          execution.print(message.log);
          break;
        case "end":
          finish(JSON.parse(message.outcome) as Outcome, message.spoilt);
      }
    } catch (thrown) {
      finish(failure(thrown), true);
    }
  }, () => {
    if (!over) finish(failure(gone()), true);
  });
}

function gone(): WebagentError {
  return new WebagentError({
    kind: "sandbox",
    message: "the browser ended the program, as it does when a program takes all the memory",
  });
}
