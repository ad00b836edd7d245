/** The manifest beside what is wrong with it, and what is made of it. */
import { h } from "../ui/elements.ts";
import { copyButton, empty, fold, longText } from "../ui/widgets.ts";
import type { Session } from "./session.ts";
import { Tabs } from "../ui/tabs.ts";
import { failed } from "./call_box.ts";
import type { ManifestState } from "./api_types.ts";
import { findingsList } from "./manifest/findings.ts";
import { SourceText } from "./manifest/source.ts";

const SHOWN = 60_000;

export class ManifestView {
  readonly element = h("div", { class: "manifest" });
  #session: Session;
  #revision = "";
  #load = 0;
  #tab = 0;
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
      if (!first) this.#status.textContent = `The manifest was saved: ${summary(manifest)}`;
    } catch (thrown) {
      if (load === this.#load && this.#session.connection === "connected") this.element.replaceChildren(failed(thrown));
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
        { label: "Declarations", content: () => shown(manifest.typescript) },
        { label: "Schemas", content: () => schemas(manifest) },
        { label: "Normal form", content: () => shown(manifest.markdown ?? "") },
      ],
      this.#tab,
      (place) => (this.#tab = place),
      copyButton(() => [text, manifest.typescript, JSON.stringify(manifest.schemas, null, 2), manifest.markdown ?? ""][this.#tab] ?? ""),
    );
    const before = this.element.querySelector(".source-scroll")?.scrollTop ?? 0;
    this.element.replaceChildren(
      h("section", { class: "manifest-text", "aria-label": "Manifest" }, tabs.element),
      h(
        "section",
        { class: "manifest-findings", "aria-label": "Findings" },
        h("h2", {}, summary(manifest)),
        h("p", { class: "quiet" }, h("code", { dir: "auto" }, path ?? ""), `, revision ${manifest.revision}`),
        served_stale && h("p", { class: "notice warn" }, "Pages keep the last good version until the errors are mended."),
        findingsList(findings, (line, column) => {
          if (this.#tab !== 0) tabs.choose(0);
          source.jump(line, column);
        }),
      ),
      this.#status,
    );
    const scroll = this.element.querySelector(".source-scroll");
    if (scroll) scroll.scrollTop = before;
  }
}

function summary({ findings }: ManifestState): string {
  if (findings.length === 0) return "Nothing is wrong with it.";
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length;
  const parts = (["error", "warning"] as const).map((severity) => [count(severity), severity] as const);
  const said = parts.filter(([number]) => number > 0).map(([number, severity]) => `${number} ${severity}${number === 1 ? "" : "s"}`);
  const infos = count("info");
  if (infos > 0) said.push(`${infos} remark${infos === 1 ? "" : "s"}`);
  return said.join(", ");
}

function shown(text: string): HTMLElement {
  return longText(text, SHOWN, "pre");
}

function schemas({ schemas: all }: ManifestState): HTMLElement {
  if (all.length === 0) return h("p", { class: "quiet" }, "It declares no tools.");
  return h("div", { class: "folds" }, ...all.map((schema) => fold(h("code", { dir: "auto" }, schema.name), () => shown(JSON.stringify(schema, null, 2)))));
}
