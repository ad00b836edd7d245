/** The manifest next to its findings, and the forms that are generated from it. */
import type { Finding } from "../page/manifest.ts";
import { brief } from "../ui/display_text.ts";
import { button, h, words, type Child } from "../ui/elements.ts";
import { Tabs } from "../ui/tabs.ts";
import { visible } from "../ui/text_parts.ts";
import { copyButton, empty, fold, keep, kept, longText } from "../ui/widgets.ts";
import type { ManifestState } from "./api_types.ts";
import { failureNotice } from "./result_view.ts";
import type { Session } from "./session.ts";

const SHOWN = 60_000;

export class ManifestView {
  readonly element = h("div", { class: "manifest" });
  #session: Session;
  #revision = "";
  #load = 0;
  #tab = kept("manifest", 0);
  #visible = false;
  #status = h("p", { class: "unseen", role: "status" });
  #waiting = true;

  constructor(session: Session) {
    this.#session = session;
    session.on("manifest", () => {
      this.#waiting = true;
      if (this.#visible) void this.#look();
    });
  }

  arrive(): void {
    this.#visible = true;
    if (this.#waiting) void this.#look();
  }

  leave(): void {
    this.#visible = false;
  }

  async #look(): Promise<void> {
    const load = ++this.#load;
    try {
      const manifest = await this.#session.api.get<ManifestState>("manifest");
      if (load !== this.#load) return;
      this.#waiting = false;
      const text = JSON.stringify([manifest.path, manifest.revision, manifest.text, manifest.findings]);
      if (text === this.#revision) return;
      const first = this.#revision === "";
      this.#revision = text;
      this.#show(manifest);
      if (!first) this.#status.textContent = `The manifest was saved: ${summary(manifest.findings)}`;
    } catch (thrown) {
      if (load === this.#load && this.#session.connection === "connected") this.element.replaceChildren(failureNotice(thrown));
    }
  }

  #show(manifest: ManifestState): void {
    const { text, path, findings, served_stale } = manifest;
    if (text === null) {
      this.element.replaceChildren(
        empty("This site has no manifest.", h("p", {}, "Write a ", h("code", {}, "webagents.md"), " in its folder, or let ", h("code", {}, "webagent-dev init --into"), " or ", h("code", {}, "webagent-dev extract"), " begin one; it appears here as soon as it is saved.")),
      );
      return;
    }
    const source = new SourceText(text, findings);
    const tabs = new Tabs(
      "Forms of the manifest",
      [
        { label: "Source", content: () => source.element },
        { label: "Declarations", content: () => longText(manifest.typescript, SHOWN, "code") },
        { label: "Schemas", content: () => schemas(manifest) },
        { label: "Normal form", content: () => longText(manifest.markdown ?? "", SHOWN, "pre") },
      ],
      this.#tab,
      (place) => keep("manifest", (this.#tab = place)),
      copyButton(() => [text, manifest.typescript, JSON.stringify(manifest.schemas, null, 2), manifest.markdown ?? ""][this.#tab] ?? ""),
    );
    const before = this.element.querySelector(".source-scroll")?.scrollTop ?? 0;
    this.element.replaceChildren(
      h("section", { class: "manifest-text", "aria-label": "Manifest" }, tabs.element),
      h(
        "section",
        { class: "manifest-findings", "aria-label": "Findings" },
        h("h2", {}, summary(manifest.findings)),
        h("p", { class: "quiet" }, h("code", { dir: "auto" }, path ?? ""), `, revision ${manifest.revision}`),
        served_stale && h("p", { class: "notice warn" }, "Pages keep the last good version until the errors are fixed."),
        findingsList(findings, (line, column) => {
          if (this.#tab !== 0) tabs.choose(0);
          source.jump(line, column);
        }, remedies),
      ),
      this.#status,
    );
    const scroll = this.element.querySelector(".source-scroll");
    if (scroll) scroll.scrollTop = before;
  }
}

/** How many findings there are of each severity, in words. */
export function summary(findings: readonly Finding[]): string {
  if (findings.length === 0) return "Nothing is wrong with it.";
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length;
  const parts = (["error", "warning"] as const).map((severity) => [count(severity), severity] as const);
  const counts = parts.filter(([number]) => number > 0).map(([number, severity]) => `${number} ${severity}${number === 1 ? "" : "s"}`);
  const infos = count("info");
  if (infos > 0) counts.push(`${infos} remark${infos === 1 ? "" : "s"}`);
  return counts.join(", ");
}

function schemas({ schemas: all }: ManifestState): HTMLElement {
  if (all.length === 0) return h("p", { class: "quiet" }, "It declares no tools.");
  return h("div", { class: "folds" }, ...all.map((schema) => fold(h("code", { dir: "auto" }, schema.name), () => longText(JSON.stringify(schema, null, 2), SHOWN, "code"))));
}

/** Most findings that are shown; a longer list is worked through from the top. */
const MOST = 300;

/** Makes what a person can do about a finding. */
type Remedies = (finding: Finding) => Child[];

/** @param jump Shows a place of the manifest. */
export function findingsList(findings: readonly Finding[], jump: (line: number, column: number) => void, remedies: Remedies): HTMLElement {
  const items = findings.slice(0, MOST).map((finding) => item(finding, jump, remedies));
  if (findings.length > MOST) items.push(h("li", { class: "quiet" }, `and ${findings.length - MOST} more`));
  return h("ul", { class: "findings" }, ...items);
}

function item(finding: Finding, jump: (line: number, column: number) => void, remedies: Remedies): HTMLElement {
  const { severity, message, help, span, tool } = finding;
  const { line, column } = span.start;
  return h(
    "li",
    { class: `finding ${severity}` },
    h(
      "p",
      { class: "finding-head" },
      h("strong", { class: severity }, severity),
      " ",
      button("link", `line ${line}, column ${column}`, () => jump(line, column)),
      tool && h("span", { class: "quiet" }, " in ", h("code", { dir: "auto" }, brief(tool, 100))),
    ),
    h("p", { dir: "auto" }, ...words(brief(message, 2000))),
    help && h("p", { class: "quiet", dir: "auto" }, ...words(brief(help, 2000))),
    ...remedies(finding),
  );
}

/** The commands that fix a finding and explain its rule. */
function remedies({ rule, fix }: Finding): Child[] {
  return [
    fix && h("p", { class: "quiet" }, h("code", {}, "webagent-dev check --fix"), " can fix it: ", ...words(brief(fix.title, 300))),
    h("p", { class: "quiet row" }, h("code", {}, `webagent-dev explain ${rule}`), copyButton(() => `webagent-dev explain ${rule}`)),
  ];
}

/** Most lines that are shown. */
const MOST_LINES = 20_000;
/** Most characters of a line that are shown. */
const MOST_LINE = 2000;

const ORDER = ["info", "warning", "error"];

/** The gravest severity of the findings of each line. */
export function severities(findings: readonly Finding[]): Map<number, string> {
  const marks = new Map<number, string>();
  for (const { severity, span } of findings) {
    const before = marks.get(span.start.line) ?? "";
    if (ORDER.indexOf(severity) > ORDER.indexOf(before)) marks.set(span.start.line, severity);
  }
  return marks;
}

/** The colour of each line of a manifest: of a heading, or of code in a fence. */
function kindsOf(lines: readonly string[]): string[] {
  let fence = "";
  return lines.map((line) => {
    const [mark = ""] = /^ {0,3}(?:```+|~~~+)/.exec(line) ?? [];
    const inside = fence !== "";
    if (inside ? mark.trim().startsWith(fence) : mark) fence = inside ? "" : mark.trim();
    if (inside || mark) return "in-string";
    return /^#{1,6} /.test(line) ? "in-word" : "";
  });
}

/** The text of a manifest with line numbers; lines with findings are marked. */
class SourceText {
  readonly element: HTMLElement;
  #lines: HTMLElement[];

  constructor(text: string, findings: readonly Finding[]) {
    const marks = severities(findings);
    const lines = text.split(/\r\n?|\n/);
    const kinds = kindsOf(lines);
    this.#lines = lines.slice(0, MOST_LINES).map((content, place) => {
      const mark = marks.get(place + 1);
      const cut = content.length > MOST_LINE ? `${content.slice(0, MOST_LINE)}…` : content;
      return h(
        "li",
        { class: `${mark ?? ""} ${kinds[place] ?? ""}`.trim(), tabindex: "-1" },
        mark && h("span", { class: "unseen" }, `${mark}: `),
        h("span", { class: "line", dir: "auto" }, visible(cut) || "\u200b"),
      );
    });
    const more = lines.length > MOST_LINES && h("p", { class: "quiet" }, `and ${lines.length - MOST_LINES} more lines`);
    this.element = h(
      "div",
      { class: "source-scroll", tabindex: "0", role: "region", "aria-label": "Source with line numbers" },
      h("ol", { class: "source" }, ...this.#lines),
      more,
    );
  }

  /** Scroll a line into view and select the place in it. */
  jump(line: number, column: number): void {
    const target = this.#lines[Math.min(line, this.#lines.length) - 1];
    if (!target) return;
    for (const other of this.#lines) other.classList.remove("here");
    target.classList.add("here");
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
    const text = target.querySelector(".line")?.firstChild;
    // Columns count code points, the selection counts code units; a long line may be cut.
    const offset = [...(text?.textContent ?? "")].slice(0, column - 1).join("").length;
    if (text) getSelection()?.collapse(text, Math.min(offset, text.textContent?.length ?? 0));
  }
}
