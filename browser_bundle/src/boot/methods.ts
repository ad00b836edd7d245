/** What a page and a Python elsewhere call of each other, by name. */
import type { PageBridge, Runtime } from "./runtime.ts";

/** What the page calls. */
export const METHODS = names<keyof Runtime>({
  load_manifest: true,
  refresh: true,
  drift: true,
  manifest: true,
  typescript: true,
  to_markdown: true,
  names: true,
  describe: true,
  exposed: true,
  tools: true,
  call: true,
  invoke: true,
  cancel: true,
  progress: true,
  mask: true,
  run: true,
  resume: true,
  prompt: true,
  snapshot: true,
  stop_run: true,
  abandon_run: true,
  transcript: true,
  python: true,
});

/** What Python calls. */
export const BRIDGE = names<keyof PageBridge>({
  emit: true,
  offers: true,
  path: true,
  invoke: true,
  cancel: true,
  snapshot: true,
  act: true,
  run_code: true,
  end_code: true,
});

/** The names of an interface, none of them forgotten. */
function names<Name extends string>(all: Record<Name, true>): Name[] {
  return Object.keys(all) as Name[];
}
