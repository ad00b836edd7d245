/** Guards the supervisor against its program, and the page against both. */
import { WebagentError } from "../base/errors.ts";
import { MAX_MESSAGES_PER_S } from "./limits.ts";

/**
 * A function that counts a message.
 *
 * @throws WebagentError when there were too many in a second.
 */
export function floodGuard(): () => void {
  let second = 0;
  let messages = 0;
  return () => {
    const now = Math.floor(performance.now() / 1000);
    messages = now === second ? messages + 1 : 1;
    second = now;
    if (messages > MAX_MESSAGES_PER_S) throw tooFrequent();
  };
}

/** The error of a program that sends what our worker does not. */
export function forged(): WebagentError {
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
