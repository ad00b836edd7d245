/** Groups the entries of the timeline: the states of a call, the events of a run, all others alone. */
import { inLine, line } from "../ui/display_text.ts";
import type { Entry, EntryKind } from "./api_types.ts";

type GroupState = "running" | "ok" | "failed" | "cancelled" | "none";

export interface Group {
  /** Identifies the group. */
  key: string;
  /** Counts groups from 1. */
  number: number;
  kind: EntryKind;
  page_id: string;
  caller: string;
  entries: Entry[];
  state: GroupState;
  title: string;
  /** More about the group, in a line. */
  about: string;
  duration_ms: number | undefined;
  /** The text that is searched. */
  haystack: string;
}

export interface Filter {
  /** Empty for all, like the other fields. */
  kind: string;
  page: string;
  state: string;
  words: string;
}

/** Most groups that are kept; the oldest are dropped first. */
export const MOST_GROUPS = 5000;
/** Most characters of all entries together. */
const MOST_CHARACTERS = 40_000_000;
/** Most entries of a group; of an endless run the latest are kept. */
const MOST_ENTRIES = 2000;
const TITLE = 160;
const ABOUT = 200;

export class Groups {
  #groups = new Map<string, Group>();
  /** How many groups were dropped because there were too many. */
  dropped = 0;
  #made = 0;
  /** Each server counts its entries from the start, so entries of another server belong to another round. */
  #round = 1;
  #characters = 0;
  #seq = 0;

  /** Add an entry; return its group, updated. */
  take(entry: Entry): Group {
    if (entry.seq <= this.#seq) this.#round += 1;
    this.#seq = entry.seq;
    const alone = entry.id === undefined || (entry.kind !== "call" && entry.kind !== "agent");
    const key = alone ? `#${this.#round} ${entry.seq}` : `${entry.kind} ${entry.id}`;
    let group = this.#groups.get(key);
    if (!group) {
      group = begun(key, ++this.#made, entry);
      this.#groups.set(key, group);
    }
    group.entries.push(entry);
    // The first entry describes the group, so the second one is dropped.
    if (group.entries.length > MOST_ENTRIES) this.#characters -= sizeOf(group.entries.splice(1, 1));
    this.#characters += entry.size ?? 0;
    this.#dropOldest(group);
    group.page_id = entry.page_id || group.page_id;
    group.caller ||= entry.caller ?? "";
    Object.assign(group, changesBy(group, entry));
    group.haystack = `${group.title} ${group.about} ${group.caller}`.toLowerCase();
    return group;
  }

  /** Drop the oldest groups, but keep the one that was just updated. */
  #dropOldest(kept: Group): void {
    for (const [key, group] of this.#groups) {
      if (this.#groups.size <= MOST_GROUPS && this.#characters <= MOST_CHARACTERS) return;
      if (group === kept) continue;
      this.#groups.delete(key);
      this.#characters -= sizeOf(group.entries);
      this.dropped += 1;
    }
  }

  clear(): void {
    this.#groups.clear();
    this.#characters = 0;
    this.dropped = 0;
  }

  get(key: string): Group | undefined {
    return this.#groups.get(key);
  }

  /** Oldest first. */
  all(): Group[] {
    return [...this.#groups.values()];
  }
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { size = 0 }) => sum + size, 0);
}

/** Whether a group passes the filter. */
export function matches(group: Group, { kind, page, state, words }: Filter): boolean {
  return (
    (!kind || group.kind === kind) &&
    (!page || group.page_id === page) &&
    (!state || group.state === state) &&
    words.toLowerCase().split(/\s+/).every((word) => group.haystack.includes(word))
  );
}

function begun(key: string, number: number, { kind, page_id, caller }: Entry): Group {
  return {
    key,
    number,
    kind,
    page_id,
    caller: caller ?? "",
    entries: [],
    state: "none",
    title: "",
    about: "",
    duration_ms: undefined,
    haystack: "",
  };
}

const CALL_STATES: Record<string, GroupState> = {
  started: "running",
  progress: "running",
  finished: "ok",
  failed: "failed",
  cancelled: "cancelled",
};

/** The changes that an entry makes to its group. */
function changesBy(group: Group, { kind, detail }: Entry): Partial<Group> {
  switch (kind) {
    case "call":
      return ofCall(group, detail);
    case "agent":
      return ofRun(detail);
    case "log": {
      const level = String(detail["level"]);
      const bad = ["error", "uncaught", "unhandled"].includes(level);
      return { state: bad ? "failed" : "none", title: line(String(detail["text"] ?? ""), TITLE), about: [level, Number(detail["count"]) > 1 && `${String(detail["count"])} times`, line(String(detail["place"] ?? ""), ABOUT)].filter(Boolean).join(" · ") };
    }
    case "error":
      return { state: "failed", title: line(String(detail["message"] ?? ""), TITLE), about: line(String(detail["phase"] ?? ""), ABOUT) };
    case "manifest":
      return ofManifest(detail);
    default:
      return { title: inLine(detail, TITLE) };
  }
}

function ofCall(group: Group, detail: Record<string, unknown>): Partial<Group> {
  const given = detail["arguments"];
  const error = detail["error"] as { message?: unknown } | undefined;
  const about = error
    ? line(String(error.message), ABOUT)
    : Object.hasOwn(detail, "value")
      ? `→ ${inLine(detail["value"], ABOUT)}`
      : given === undefined
        ? group.about
        : inLine(given, ABOUT);
  return {
    state: own(CALL_STATES, String(detail["state"])) ?? group.state,
    title: line(String(detail["name"] ?? group.title), TITLE),
    about,
    duration_ms: typeof detail["duration_ms"] === "number" ? detail["duration_ms"] : group.duration_ms,
  };
}

function ofRun(detail: Record<string, unknown>): Partial<Group> {
  switch (detail["type"]) {
    case "started":
      return { state: "running", title: line(String(detail["goal"]), TITLE) };
    case "step":
      return { about: line(String(detail["why"] || detail["tool"] || detail["action"]), ABOUT) };
    case "spent":
      return { duration_ms: Number(detail["seconds"]) * 1000 };
    case "asked":
      return { about: "asks something" };
    case "finished": {
      const error = detail["error"] as { kind?: unknown; message?: unknown } | undefined;
      const state = detail["ok"] === true ? "ok" : error?.kind === "cancelled" ? "cancelled" : "failed";
      return { state, about: line(String(detail["text"] || error?.message || ""), ABOUT) };
    }
    default:
      return {};
  }
}

function ofManifest(detail: Record<string, unknown>): Partial<Group> {
  const counted = ["error", "warning", "info"].map((severity) => [severity, Number(detail[severity]) || 0] as const);
  const some = counted.filter(([, count]) => count > 0).map(([severity, count]) => `${count} ${severity}${count > 1 && severity !== "info" ? "s" : ""}`);
  return {
    state: detail["error"] ? "failed" : "ok",
    title: `manifest, revision ${String(detail["revision"])}`,
    about: some.join(", ") || "all is well",
  };
}

function own<Value>(table: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Arguments by name, as the API takes them; positions follow the tool's parameters. */
export function namedArguments(given: unknown, params: readonly { name: string }[]): Record<string, unknown> | undefined {
  if (!Array.isArray(given)) {
    return typeof given === "object" && given !== null ? (given as Record<string, unknown>) : undefined;
  }
  const named: [string, unknown][] = [];
  for (const [place, { name }] of params.entries()) {
    if (name.startsWith("...")) {
      if (given.length > place) named.push([name.slice(3), given.slice(place)]);
      return Object.fromEntries(named);
    }
    const value = given[place] as { $type?: unknown } | undefined;
    // `undefined` marks a gap among positional arguments.
    if (place < given.length && !(typeof value === "object" && value?.$type === "undefined")) named.push([name, value]);
  }
  return given.length > params.length ? undefined : Object.fromEntries(named);
}

/** Whether only a part of a long argument was kept. */
export function isCut(given: unknown): boolean {
  return (JSON.stringify(given) ?? "").includes('"$type":"cut"');
}

/** Whether a secret is masked in the kept arguments. */
export function isMasked(given: unknown): boolean {
  return (JSON.stringify(given) ?? "").includes("•••");
}
