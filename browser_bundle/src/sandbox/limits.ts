/** Limits of what a program may do, log and return, and the guard against floods of messages. */
import { WebagentError } from "../base/errors.ts";

/** Longest program, in UTF-16 code units. */
export const MAX_CODE_CHARS = 1_000_000;
/** How much of a program's logs is kept. */
export const MAX_LOGS = 1000;
export const MAX_LOG_CHARS = 10_000;
export const MAX_ALL_LOG_CHARS = 1_000_000;
/** The weight of what crosses at once: the arguments of a call, the result of a tool, the value of a program. */
export const MAX_MESSAGE_CHARS = 1_000_000;
/** Calls that run at the same time, and the weight of their arguments; further ones wait. */
export const MAX_OPEN_CALLS = 64;
export const MAX_OPEN_CHARS = 4 * MAX_MESSAGE_CHARS;
export const MAX_WAITING_CALLS = 1000;
export const MAX_WAITING_CHARS = 16 * MAX_MESSAGE_CHARS;
/** How much of the arguments of one call, and of all of them, is kept in `calls`. */
export const MAX_KEPT_CHARS = 10_000;
export const MAX_ALL_KEPT_CHARS = 1_000_000;
/** Calls of one program. */
export const MAX_CALLS = 10_000;
/** Messages of a program to the page in a second; a program that sends more is ended. */
const MAX_MESSAGES_PER_S = 5000;

export const DEFAULT_TIMEOUT_MS = 30_000;
/** The longest delay of a browser's timer; with a longer one it fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

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
