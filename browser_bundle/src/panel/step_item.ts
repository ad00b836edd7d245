/** A step of a run: a line with what is done, which unfolds to the result. */
import { followUp, type StepEvent } from "../run/run_events.ts";
import { duration } from "../ui/display_text.ts";
import { h, picture, words, type Icon } from "../ui/elements.ts";
import { block, brief, pairs } from "./data_view.ts";
import { fill, type Texts } from "./panel_texts.ts";

/** Steps that only talk; the conversation shows their text. */
const SILENT = new Set(["finish", "communicate", "make_plan", "take_note"]);

const STATES = { started: "running", finished: "done", failed: "failed", cancelled: "cancelled" } as const;
const ICONS: Record<StepEvent["state"], Icon> = {
  started: "started",
  finished: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** The types that are shown; Python names a picture by its bytes. */
const PICTURE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Most characters of the name of a step's element. */
const MOST_NAME = 80;

/** Whether a step has a line of its own; an answer that went back to the model has not. */
export function isShown(event: StepEvent): boolean {
  return !SILENT.has(event.action) || (event.state === "failed" && event.action !== "finish");
}

/** A title for a step. */
export function stepTitle(event: StepEvent, texts: Texts): string {
  if (event.sentence) return event.sentence;
  if (event.why) return event.why;
  const name = event.element?.name.replace(/[`\s]+/g, " ").trim().slice(0, MOST_NAME);
  const action = event.action === "click" && event.element?.role === "link" ? "click_link" : event.action;
  const known = texts[(name ? `action_${action}_on` : `action_${action}`) as keyof Texts];
  if (event.title) return event.title;
  return known ? fill(known, { tool: event.tool ?? "", name: name ?? "" }) : event.tool || event.action;
}

/** Finds a file of a run by its name; null if the run is not the last one of this page. */
export type FindFile = (runId: string, name: string) => Promise<File | null>;

/** Pictures that the result of one step shows. */
const MOST_PICTURES = 20;

export class StepItem {
  readonly element: HTMLLIElement;
  #event: StepEvent;
  #texts: Texts;
  #file: FindFile;
  #head = h("summary");
  #body = h("div", { class: "body" });
  /** The pictures that the tool returned. */
  #pictures = h("div", { class: "pictures" });
  /** The calls of the step's program. */
  #inner = h("ol", { class: "steps inner" });

  constructor(event: StepEvent, texts: Texts, file: FindFile) {
    this.#texts = texts;
    this.#file = file;
    this.#event = event;
    this.element = h("li", {}, h("details", {}, this.#head, this.#body), this.#pictures, this.#inner);
    this.show(event);
  }

  /** Show the step's latest state. */
  show(event: StepEvent): void {
    const texts = this.#texts;
    this.#event = event = followUp(this.#event, event);
    this.element.className = `step ${event.state}`;
    const shown = argumentsOf(event);
    const state = texts[STATES[event.state]];
    this.#head.replaceChildren(
      picture(ICONS[event.state]),
      h(
        "span",
        { class: "what" },
        h("span", { class: "title", dir: "auto" }, ...words(stepTitle(event, texts))),
        h("span", { class: "unseen" }, `, ${state}`),
        h("code", { class: "call", dir: "ltr" }, callText(event)),
      ),
      h("span", { class: "time" }, event.duration_ms !== undefined && duration(event.duration_ms)),
      picture("chevron"),
    );
    this.#body.replaceChildren();
    this.#pictures.replaceChildren();
    if (Object.keys(shown).length > 0) {
      this.#body.append(h("h4", {}, texts.arguments), pairs(shown, texts));
    }
    if (event.error) {
      const { message, help } = event.error;
      this.#body.append(h("h4", {}, texts.error), h("p", { dir: "auto" }, ...words(message)));
      if (help) this.#body.append(h("p", { class: "quiet", dir: "auto" }, ...words(help)));
    }
    if (event.state === "finished") {
      const none = event.value === undefined || event.value === null;
      this.#body.append(
        h("h4", {}, texts.result),
        none ? h("p", { class: "quiet" }, texts.no_value) : block(event.value, texts),
      );
      void this.#showPictures(event);
    }
  }

  async #showPictures(event: StepEvent): Promise<void> {
    const { run_id, action, value } = event;
    // A screenshot was taken for the model; a picture of a tool is what the person asked for.
    const place = action === "take_screenshot" ? this.#body : this.#pictures;
    const shown: HTMLImageElement[] = [];
    for (const name of fileNames(value).slice(0, MOST_PICTURES)) {
      const file = await this.#file(run_id, name).catch(() => null);
      if (!file || !PICTURE_TYPES.has(file.type)) continue;
      const url = URL.createObjectURL(file);
      const image = h("img", { src: url, alt: name });
      try {
        await image.decode();
        shown.push(image);
      } catch {
        // The data are damaged, or the site's policy forbids such addresses; the name is shown.
      }
      URL.revokeObjectURL(url);
    }
    if (this.#event === event) place.append(...shown);
  }

  /** The run has ended: mark a step that was still running as cancelled. */
  end(): void {
    if (this.#event.state === "started") this.show({ ...this.#event, state: "cancelled" });
  }

  /** Add a call of the step's program. */
  append(step: StepItem): void {
    this.#inner.append(step.element);
  }
}

/** The names of the files in a step's value: it is one, or has some directly in its list or object. */
function fileNames(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { file } = value as { file?: unknown };
  if (typeof file === "string") return [file];
  return Object.values(value).flatMap((inner: unknown) => {
    const name = typeof inner === "object" && inner !== null ? (inner as { file?: unknown }).file : undefined;
    return typeof name === "string" ? [name] : [];
  });
}

/** The arguments of a tool or an action, for display. */
function argumentsOf(event: StepEvent): Record<string, unknown> {
  const given = event.arguments ?? {};
  const inner = event.action === "call_tool" && event.tool ? given["arguments"] : undefined;
  return (inner as Record<string, unknown> | undefined) ?? given;
}

/** `searchBooks(query: "tolkien")`; without the name if the title has it. */
function callText(event: StepEvent): string {
  if (event.action === "execute_js") return "";
  const touched = event.element?.name.trim() && event.action.startsWith("click");
  // The number of an element says nothing to a person.
  const given = touched && !event.why ? [] : Object.entries(argumentsOf(event)).filter(([name]) => name !== "pp_id");
  const text = given.map(([name, value]) => `${name}: ${brief(value)}`).join(", ");
  return event.why ? `${event.tool || event.action}(${text})` : text;
}
