/** `run.js`: what keeps a run over navigation; loaded with the first run, or for one that is kept. */
export { Runs } from "./runs.ts";
export { RunKeeper, type RunOwner } from "./run_keeper.ts";
