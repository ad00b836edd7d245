/** Compares the manifest with the page: when it is ready, after changes, and once it has settled. */
import { onNavigation } from "../base/page_events.ts";
import type { Finding } from "../page/manifest.ts";
import type { WebAgent } from "../page/webagent.ts";

/** A page may register tools this long after its start or its last navigation. */
const SETTLED_MS = 3000;
/** Changes within this time are compared together. */
const PAUSE_MS = 150;
/** While something is missing, the page is compared again, at growing intervals. */
const AGAIN_MS = 2000;
const MOST_AGAIN_MS = 30_000;

export class DriftWatch {
  #agent: WebAgent;
  #report: (findings: Finding[]) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settledAt = 0;
  #again = AGAIN_MS;
  #reported: string | undefined;

  /** @param report Called with the findings whenever they change. */
  constructor(agent: WebAgent, report: (findings: Finding[]) => void) {
    this.#agent = agent;
    this.#report = report;
    if (isErrorPage()) return;
    agent.addEventListener("ready", () => this.#begin());
    agent.addEventListener("toolschange", () => this.#soon(PAUSE_MS));
    agent.addEventListener("manifestchange", () => this.#soon(PAUSE_MS));
    agent.addEventListener("mismatch", () => this.#soon(PAUSE_MS));
    onNavigation(() => this.#begin());
    if (agent.state === "ready") this.#begin();
  }

  /** The page has started or navigated, and may register its tools late. */
  #begin(): void {
    this.#settledAt = performance.now() + SETTLED_MS;
    this.#again = AGAIN_MS;
    this.#soon(PAUSE_MS);
  }

  #soon(wait_ms: number): void {
    if (this.#agent.state !== "ready") return;
    clearTimeout(this.#timer);
    // If the runtime is lost meanwhile, `ready` comes again.
    this.#timer = setTimeout(() => void this.#compare().catch(() => {}), wait_ms);
  }

  async #compare(): Promise<void> {
    const found = await this.#agent.compare();
    const left_ms = this.#settledAt - performance.now();
    const missing = found.some(({ rule }) => rule === "missing-function");
    const sure = left_ms > 0 ? found.filter(({ rule }) => rule !== "missing-function") : found;
    // That a page agrees is known once it has settled: the page before it may have differed.
    const early = left_ms > 0 && sure.length === 0 && this.#reported === undefined;
    if (!early) this.#reportFindings(sure);
    if (!missing && !early) return;
    if (left_ms > 0) {
      this.#soon(left_ms);
    } else {
      this.#soon(this.#again);
      this.#again = Math.min(this.#again * 2, MOST_AGAIN_MS);
    }
  }

  #reportFindings(findings: Finding[]): void {
    const text = JSON.stringify(findings);
    if (text === this.#reported) return;
    this.#reported = text;
    this.#report(findings);
  }
}

/** Whether this is an error page of the server, shown in place of the requested one. */
function isErrorPage(): boolean {
  const [load] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return (load?.responseStatus ?? 0) >= 400;
}
