/** The timeline: calls, runs, errors and logs of the open pages, live. */
import { duration, line } from "../ui/display_text.ts";
import { button, h, words, type Child } from "../ui/elements.ts";
import { download, empty, keep, kept } from "../ui/widgets.ts";
import type { Entry } from "./api_types.ts";
import type { Session } from "./session.ts";
import { EntryView, stateClass, type EntryActions } from "./timeline_entry.ts";
import { Groups, matches, type Filter, type Group } from "./timeline_groups.ts";

const KINDS: Record<string, string> = {
  call: "call",
  agent: "run",
  log: "console",
  error: "error",
  manifest: "manifest",
  page: "page",
};

/** Lines that are made at first; older ones on demand. */
const AT_ONCE = 400;

export class TimelineView {
  readonly element: HTMLElement;
  #session: Session;
  #acts: EntryActions;
  #groups = new Groups();
  #filter: Filter = { kind: kept("kind", ""), page: "", state: kept("state", ""), words: kept("words", "") };
  #list: HTMLElement;
  #older = h("p", { class: "older quiet" });
  #scroll: HTMLElement;
  #detail = h("div", { class: "detail" });
  #count = h("span", { class: "quiet", role: "status" });
  #pages = h("select", { "aria-label": "Page of the entries" });
  #pause: HTMLButtonElement;
  #newest: HTMLButtonElement;
  #rows = new Map<string, HTMLElement>();
  #chosen = "";
  #opened: EntryView | undefined;
  #most = AT_ONCE;
  #paused = false;
  /** Groups that have changed since they were drawn. */
  #changed = new Set<string>();
  #drawing = false;
  #visible = false;

  constructor(session: Session, acts: EntryActions) {
    this.#session = session;
    this.#acts = acts;
    this.#list = h("div", { role: "listbox", "aria-label": "Timeline", tabindex: "0", class: "rows" });
    this.#list.addEventListener("keydown", (event) => this.#onKey(event));
    this.#list.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (row) this.#choose(row.dataset["key"] ?? "");
    });
    this.#scroll = h("div", { class: "rows-scroll" }, this.#older, this.#list);
    this.#scroll.addEventListener("scroll", () => (this.#newest.hidden = this.#isNearEnd()), { passive: true });
    this.#pause = button("small", "Pause", () => this.#setPaused(!this.#paused));
    this.#pause.setAttribute("aria-pressed", "false");
    this.#newest = button("small newest", "Go to the newest", () => this.#toEnd());
    this.#newest.hidden = true;
    this.element = h(
      "div",
      { class: "timeline" },
      h("section", { class: "timeline-list", "aria-label": "What happened" }, this.#controls(), this.#scroll, this.#newest),
      this.#detail,
    );
    session.on("entry", (entry) => this.#take(entry));
    session.on("pages", () => this.#showPages());
    this.#showPages();
    this.#showDetail();
  }

  arrive(): void {
    this.#visible = true;
    this.#drawAll();
    this.#toEnd();
  }

  leave(): void {
    this.#visible = false;
  }

  #controls(): HTMLElement {
    const choice = (label: string, key: "kind" | "state", options: [string, string][]) => {
      const select = h("select", { "aria-label": label }, ...options.map(([value, text]) => h("option", { value }, text)));
      select.value = this.#filter[key];
      select.addEventListener("change", () => this.#setFilter({ [key]: select.value }));
      return select;
    };
    const search = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter by words", autocomplete: "off" });
    search.value = this.#filter.words;
    search.addEventListener("input", () => this.#setFilter({ words: search.value }));
    this.#pages.addEventListener("change", () => this.#setFilter({ page: this.#pages.value }));
    return h(
      "div",
      { class: "controls" },
      search,
      choice("Kind", "kind", [["", "all kinds"], ...Object.entries(KINDS)]),
      choice("State", "state", [["", "all states"], ...["running", "ok", "failed", "cancelled"].map((state): [string, string] => [state, state])]),
      this.#pages,
      h(
        "div",
        { class: "row" },
        this.#pause,
        button("small", "Export", () => this.#export()),
        button("small", "Clear", () => void this.#clear()),
        this.#count,
      ),
    );
  }

  #take(entry: Entry): void {
    const { key } = this.#groups.take(entry);
    this.#changed.add(key);
    if (this.#visible && !this.#paused) this.#drawSoon();
    else if (this.#paused) this.#showCount();
  }

  #drawSoon(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      const nearEnd = this.#isNearEnd();
      // With this many changes a full redraw is less work.
      if (this.#changed.size > AT_ONCE) this.#drawAll();
      else this.#drawChanged();
      if (nearEnd) this.#toEnd();
    });
  }

  #drawChanged(): void {
    for (const key of this.#changed) {
      const group = this.#groups.get(key);
      if (!group) continue;
      const old = this.#rows.get(key);
      if (!matches(group, this.#filter)) old?.remove();
      else if (old) old.replaceWith(this.#row(group));
      else this.#list.append(this.#row(group));
    }
    if (this.#changed.has(this.#chosen)) this.#opened?.show();
    this.#changed.clear();
    while (this.#list.childElementCount > this.#most) this.#list.firstElementChild?.remove();
    this.#showCount();
  }

  #drawAll(): void {
    this.#changed.clear();
    this.#rows.clear();
    const found = this.#found();
    this.#list.replaceChildren(...found.slice(-this.#most).map((group) => this.#row(group)));
    if (this.#groups.get(this.#chosen)) this.#opened?.show();
    this.#showCount();
  }

  #found(): Group[] {
    return this.#groups.all().filter((group) => matches(group, this.#filter));
  }

  #row(group: Group): HTMLElement {
    const { key, number, kind, title, about, state, duration_ms, entries } = group;
    const row = h(
      "div",
      { role: "option", id: `row-${number}`, class: `entry-row ${state}`, "aria-selected": String(key === this.#chosen) },
      h("time", {}, timeOf(entries[0]?.at ?? "")),
      h("span", { class: `kind ${kind}` }, KINDS[kind] ?? kind),
      h("span", { class: "what", dir: "auto" }, h("strong", {}, title || "–"), " ", h("span", { class: "quiet" }, about.replaceAll("`", ""))),
      h("span", { class: `state ${stateClass(state)}` }, state === "none" ? "" : state, duration_ms === undefined ? "" : ` ${duration(duration_ms)}`),
    );
    row.dataset["key"] = key;
    this.#rows.set(key, row);
    if (key === this.#chosen) this.#list.setAttribute("aria-activedescendant", row.id);
    return row;
  }

  #showCount(): void {
    const all = this.#groups.all().length;
    const shown = this.#list.childElementCount;
    const found = this.#found().length;
    const waiting = this.#paused && this.#changed.size > 0 ? `, ${this.#changed.size} changed while paused` : "";
    this.#count.textContent = all === 0 ? "" : `${found === all ? all : `${found} of ${all}`} ${all === 1 ? "entry" : "entries"}${waiting}`;
    this.#list.hidden = shown === 0;
    const notes: Child[] = [];
    if (all === 0) notes.push(...words("Nothing has happened yet. Calls, runs and errors of open pages appear here; with `--forward-console` also what they write to their consoles."));
    else if (shown === 0) notes.push("Nothing matches the filter.");
    if (found > shown && shown > 0) {
      notes.push(`The newest ${shown} of ${found} are shown. `, button("link", "Show older", () => this.#showOlder()));
    }
    if (this.#groups.dropped > 0) notes.push(` The oldest ${this.#groups.dropped} are no longer kept.`);
    this.#older.replaceChildren(h("span", {}, ...notes));
    this.#older.hidden = notes.length === 0;
  }

  #showOlder(): void {
    this.#most += AT_ONCE;
    const before = this.#scroll.scrollHeight;
    this.#drawAll();
    this.#scroll.scrollTop += this.#scroll.scrollHeight - before;
    this.#list.focus({ preventScroll: true });
  }

  #setFilter(change: Partial<Filter>): void {
    Object.assign(this.#filter, change);
    // The pages of before a reload have other ids.
    for (const [key, value] of Object.entries(change)) if (key !== "page") keep(key, value);
    this.#most = AT_ONCE;
    this.#drawAll();
    this.#toEnd();
  }

  #setPaused(paused: boolean): void {
    this.#paused = paused;
    this.#pause.setAttribute("aria-pressed", String(paused));
    if (!paused) this.#drawSoon();
  }

  #choose(key: string): void {
    if (key === this.#chosen) return;
    this.#rows.get(this.#chosen)?.setAttribute("aria-selected", "false");
    this.#chosen = key;
    const row = this.#rows.get(key);
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest" });
    if (row) this.#list.setAttribute("aria-activedescendant", row.id);
    this.#showDetail();
  }

  #showDetail(): void {
    const group = this.#groups.get(this.#chosen);
    this.#opened?.close();
    this.#opened = group && new EntryView(this.#session, group, this.#acts);
    this.#detail.replaceChildren(this.#opened?.element ?? empty("Choose an entry to see its details."));
  }

  #onKey(event: KeyboardEvent): void {
    const rows = [...this.#list.children] as HTMLElement[];
    const at = rows.findIndex(({ dataset }) => dataset["key"] === this.#chosen);
    const steps: Record<string, number> = {
      ArrowDown: Math.min(at + 1, rows.length - 1),
      ArrowUp: at < 0 ? rows.length - 1 : Math.max(at - 1, 0),
      PageDown: Math.min(at + 10, rows.length - 1),
      PageUp: Math.max(at - 10, 0),
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows[steps[event.key] ?? -1];
    if (!row) return;
    event.preventDefault();
    this.#choose(row.dataset["key"] ?? "");
  }

  #showPages(): void {
    const options: [string, string][] = [["", "all pages"]];
    for (const { page_id, title, url } of this.#session.pages) options.push([page_id, line(title || url, 50)]);
    const chosen = this.#filter.page;
    if (chosen && !options.some(([id]) => id === chosen)) options.push([chosen, "a page that was closed"]);
    this.#pages.replaceChildren(...options.map(([value, label]) => h("option", { value }, label)));
    this.#pages.value = chosen;
  }

  #export(): void {
    const entries = this.#found().flatMap((group) => group.entries).sort((one, other) => one.seq - other.seq);
    const text = JSON.stringify({ exported: new Date().toISOString(), url: this.#session.server?.url, entries }, null, 1);
    download("webagent-timeline.json", "application/json", text);
  }

  async #clear(): Promise<void> {
    try {
      await this.#session.api.delete("timeline");
    } catch {
      // The bar reports a lost server; the shown entries are cleared anyway.
    }
    this.#groups.clear();
    this.#chosen = "";
    this.#drawAll();
    this.#showDetail();
  }

  #isNearEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroll;
    return scrollHeight - scrollTop - clientHeight < 60;
  }

  #toEnd(): void {
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
    this.#newest.hidden = true;
  }
}

/** `14:03:07.120`, in local time. */
function timeOf(at: string): string {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? "" : `${moment.toTimeString().slice(0, 8)}.${String(moment.getMilliseconds()).padStart(3, "0")}`;
}
