/** Keeps the conversation of this tab in sessionStorage, so that the next page can restore it, and saves it as a file. */
import type { TranscriptForm } from "../run/person.ts";
import { followUp, type AgentEvent } from "../run/run_events.ts";
import { CONVERSATION_KEY } from "../run/tab_storage.ts";
import { h } from "../ui/elements.ts";
import { textOf } from "./data_view.ts";
import { PANEL_STATE_KEY } from "./launcher.ts";

const VERSION = 1;
/** Most characters of a value; the transcript of the run has all of it. */
const MOST_VALUE = 4000;
/** Limits of a whole conversation: characters and events. */
const MOST_CHARACTERS = 400_000;
const MOST_EVENTS = 600;
const SAVE_AFTER_MS = 250;

export type PanelState = "open" | "minimised" | "closed";

export class ConversationStore {
  /** The events, oldest first. */
  events: AgentEvent[] = [];
  /** The unsent goal. */
  draft = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.load();
  }

  /** Read what the tab keeps, which may be newer than the state of this page. */
  load(): void {
    this.events = [];
    this.draft = "";
    try {
      const kept = JSON.parse(sessionStorage.getItem(CONVERSATION_KEY) ?? "null") as {
        v: number;
        events: AgentEvent[];
        draft: string;
      } | null;
      if (kept?.v !== VERSION || !Array.isArray(kept.events)) return;
      this.events = kept.events;
      this.draft = String(kept.draft);
      const last = this.events.at(-1);
      if (last?.type === "navigating") last.title = document.title;
    } catch {
      // Without a readable one the conversation starts empty.
    }
  }

  /** Whether the last run has not finished. */
  get running(): boolean {
    const last = this.events.findLast(({ type }) => type === "started" || type === "finished");
    return last?.type === "started";
  }

  /** Add an event; of some kinds only the last is kept. */
  add(event: AgentEvent): void {
    // The whole text follows its pieces.
    if ((event.type === "text" && !event.final) || event.type === "retrying") return;
    const place = this.events.findLastIndex((other) => replaces(event, other));
    const before = this.events[place];
    if (event.type === "step" && before?.type === "step") event = followUp(before, event);
    this.events.splice(place < 0 ? this.events.length : place, 1, this.#withoutSecret(event));
    if (this.events.length > MOST_EVENTS) this.events.splice(0, this.events.length - MOST_EVENTS);
    this.later();
  }

  /** Remove everything. */
  clear(): void {
    this.events = [];
    this.later();
  }

  /** A secret answer is not kept anywhere. */
  #withoutSecret(event: AgentEvent): AgentEvent {
    if (event.type !== "answered") return event;
    const asked = this.events.findLast((other) => other.type === "asked" && other.id === event.id);
    const secret = asked?.type === "asked" && asked.request.details["secret"] === true;
    return secret ? { ...event, text: "" } : event;
  }

  /** Save a page that is being left; a run in it may have had no time to say so. */
  leave(): void {
    const last = this.events.at(-1);
    if (this.running && last && last.type !== "navigating") this.events.push({ type: "navigating", run_id: last.run_id, url: "" });
    this.save();
  }

  /** Save after a pause. */
  later(): void {
    this.#timer ??= setTimeout(() => this.save(), SAVE_AFTER_MS);
  }

  /** Save now, as much as fits. */
  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let events = this.events.map(shortened); ; events = events.slice(events.length / 2 + 1)) {
      const draft = mayHoldCredential(this.draft) ? "" : this.draft;
      const text = JSON.stringify({ v: VERSION, draft, events });
      if (text.length < MOST_CHARACTERS && store(CONVERSATION_KEY, text)) return;
      if (events.length === 0) return;
    }
  }
}

/** Remember how the panel is shown, and whether it has the focus. */
export function savePanelState(shown: PanelState, focused: boolean): void {
  store(PANEL_STATE_KEY, focused ? `${shown} focused` : shown === "closed" ? "" : shown);
}

/** How the panel was shown on the previous page, and `focused` if it had the focus. */
export function savedPanelState(): string[] {
  try {
    return (sessionStorage.getItem(PANEL_STATE_KEY) as string).split(" ");
  } catch {
    // There is no storage, or nothing in it.
    return [];
  }
}

function store(key: string, text: string): boolean {
  try {
    sessionStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

function replaces(event: AgentEvent, other: AgentEvent): boolean {
  if (event.type !== other.type) return false;
  if (event.type === "step") return event.id === (other as typeof event).id && event.run_id === other.run_id;
  return event.type === "spent" || event.type === "sent";
}

/** The event with its long values cut. */
function shortened(event: AgentEvent): AgentEvent {
  if (event.type === "step") return { ...event, arguments: cut(event.arguments), value: cut(event.value) };
  if (event.type === "sent") return { ...event, messages: event.messages.slice(-20).map(cut) };
  if (event.type === "finished") return { ...event, data: cut(event.data) };
  return event;
}

/** Data with its long texts cut; data that is still too large becomes a cut text. */
function cut<Data>(data: Data): Data {
  const text = JSON.stringify(data);
  if (text === undefined || text.length <= MOST_VALUE) return data;
  const shorter = JSON.parse(text, (_, value: unknown) =>
    typeof value === "string" && value.length > 300 ? `${value.slice(0, 300)}…` : value,
  ) as Data;
  const still = JSON.stringify(shorter);
  if (still.length <= MOST_VALUE) return shorter;
  const flat = `${still.slice(0, MOST_VALUE)}…`;
  return (typeof data === "object" && !Array.isArray(data) ? { "…": flat } : flat) as Data;
}

/** Names of credentials. */
const NAMES =
  /pass ?-?w|p\/w|passwd|pswd|pword|passcode|(?:secret|code) ?word|mot secret|losungswort|geheim|prüf[nz]|cryptogramme|pass ?-?phrase|\bpwd?\b|\bpass\b|passord|kennwort|codewort|mots? de passe|\bmdp\b|contrase|clave|senha|palavra.passe|parol|wachtwoord|lösenord|adgangskode|kodeord|salasan|has[łl]|hesl|jelsz|lozink|gesl|[şs]ifre|парол|κωδικ|סיסמ|كلمة|رمز|كود|السري|पासवर्ड|mật khẩu|sandi|รหัส|パスワード|暗証|密码|密碼|口令|비밀번호|암호|\bpin\b|\bpuk|pincode|geheimzahl|\bnip\b|пин|cod[ei]|código|codice|\bkod|kód|код|コード|验证码|驗證碼|인증|\bo?tp\b|totp|2fa|\btan\b|cv[vc]|\bkey\b|token|secret|answer|memorable|phrase|schlüssel|\bclé\b/i;
/** Words of a log-in. */
const LOGINS =
  /log ?-?(?:me )?(?:in|on)\b|sign ?-?(?:me )?(?:in|up|on)\b|user|account|creden[tcz]i|anmeld|eingelogg|einlogg|zugangsdaten|konto|connect|connexion|identifi|compte|sesión|usuario|cuenta|acced|entra|conta\b|inlog|aanmeld|logga|kirjaud|zalog|přihl|prihl|вой|giriş/i;
/** An address, and behind it a word with a digit. */
const AFTER_EMAIL = /@\S+\s(?:\S+\s)?\S*\d/;
/** Card numbers, accounts and keys. */
const NUMBER = /\d(?:[ -]?\d){11,}|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,}|\b(?:sk|rk|ghp|glpat|hf|xox.)[-_]\S{16,}|eyJ\S{16,}/;

/**
 * Whether a text may hold a password, a code, a card number or a key, so that it is not kept.
 *
 * Python finds the credential itself (`webagent.registry.credentials`). An unsent goal never reaches Python, so here
 * a name of a credential, a login or a long number is enough.
 */
export function mayHoldCredential(text: string): boolean {
  const plain = text.normalize("NFKC");
  return [NAMES, LOGINS, AFTER_EMAIL, NUMBER].some((one) => one.test(plain));
}

const FILES = {
  json: { name: "transcript.json", type: "application/json" },
  markdown: { name: "transcript.md", type: "text/markdown" },
};

/** Download a transcript. */
export function download(text: string, form: TranscriptForm): void {
  const { name, type } = FILES[form];
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A transcript from the panel's own events, for a run whose page is gone. */
export function transcriptOf(events: AgentEvent[], form: TranscriptForm): string {
  if (form === "json") return `${JSON.stringify({ events }, null, 2)}\n`;
  return `${events.map(paragraph).filter(Boolean).join("\n\n")}\n`;
}

function paragraph(event: AgentEvent): string {
  switch (event.type) {
    case "started":
      return event.resumed ? "" : `# ${oneLine(event.goal)}`;
    case "planned":
      return event.plan.text;
    case "step":
      return [
        `## ${oneLine(event.why || event.tool || event.action)}`,
        fenced(`${event.tool || event.action} ${textOf(event.arguments)}`),
        event.error ? event.error.message : event.value == null ? "" : fenced(textOf(event.value)),
      ]
        .filter(Boolean)
        .join("\n\n");
    case "text":
      return event.text;
    case "asked":
      return `> ${oneLine(event.request.text)}`;
    case "answered":
      return `> ${event.yes ? "yes" : "no"} ${oneLine(event.text)}`.trimEnd();
    case "navigating":
      return `→ ${event.url}`;
    case "finished":
      return `**${event.ok ? "finished" : "not finished"}** ${event.text || (event.error?.message ?? "")}`;
    default:
      return "";
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** A code block whose fence is longer than any fence in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
