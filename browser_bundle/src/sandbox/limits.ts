/** How much a program may do, print and give back. */

/** Longest program, in UTF-16 code units. */
export const MAX_CODE_CHARS = 1_000_000;
/** What is kept of a program's prints. */
export const MAX_LOGS = 1000;
export const MAX_LOG_CHARS = 10_000;
export const MAX_ALL_LOG_CHARS = 1_000_000;
/** Calls that run at the same time; more wait for their turn. */
export const MAX_OPEN_CALLS = 64;
export const MAX_WAITING_CALLS = 1000;
/** What a program may say to the page in a second; one that says more is ended. */
export const MAX_MESSAGES_PER_S = 5000;

export const DEFAULT_TIMEOUT_MS = 30_000;
/** The longest that a browser's timer waits; beyond that it would not wait at all. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
