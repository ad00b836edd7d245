/** The tools of a document: those of its scripts and its forms share one set of names. */
import type { Annotations } from "./web_idl.ts";

/** The events of the document about a run. */
export interface RunEvents {
  /** Called when `toolactivated` is due. */
  activated(): void;
  /** Called when the page has ended the run by removing or redefining its form. */
  cancelled(): void;
  /** Called when the page has ended the run by resetting its form. */
  reset(): void;
}

/** A form's tool. */
export interface FormTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON text of the synthesized schema. */
  readonly inputSchema: string;
  readonly form: HTMLFormElement;
  /**
   * Fills in, validates and submits the form. Resolves to the result, or to null when the form
   * navigates; rejects with a DOMException. `signal` aborts when the caller cancels.
   */
  execute(input: object, signal: AbortSignal, events: RunEvents): Promise<string | null>;
}

/** The document's tools, as the forms use them. */
export interface FormHost {
  /** Whether this document may have tools: active, origin-keyed, allowed by its policy. */
  readonly active: boolean;
  /** Adds the tool; false when its name is taken, in which case the form is ignored. */
  addForm(tool: FormTool): boolean;
  /** Gives the form a new definition, as one change; false when its new name is taken. */
  replaceForm(old: FormTool, tool: FormTool): boolean;
  removeForm(tool: FormTool): void;
}

/** Valid names of tools: of scripts, of forms and of other documents. */
export const NAME = /^[\w.-]{1,128}$/;

/** A tool as other documents see it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON text. */
  readonly inputSchema: string | undefined;
  readonly annotations: Annotations | undefined;
}

export interface Tool {
  readonly listed: ListedTool;
  /** Foreign origins that may see the tool. */
  readonly exposedTo: ReadonlySet<string>;
  /** Runs the tool; resolves to the result for the caller. */
  run(input: object, signal: AbortSignal, events: RunEvents): Promise<string | null>;
}

const NOBODY: ReadonlySet<string> = new Set();

export class ToolMap implements FormHost {
  readonly #tools = new Map<string, Tool>();
  readonly #forms = new Map<FormTool, Tool>();
  readonly #isActive: () => boolean;
  readonly #changed: (exposedTo: ReadonlySet<string>) => void;

  /**
   * @param isActive Whether the document may have tools now.
   * @param changed Called after each change with the foreign origins that could see the tool.
   */
  constructor(isActive: () => boolean, changed: (exposedTo: ReadonlySet<string>) => void) {
    this.#isActive = isActive;
    this.#changed = changed;
  }

  get active(): boolean {
    return this.#isActive();
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  add(tool: Tool): void {
    this.#tools.set(tool.listed.name, tool);
    this.#changed(tool.exposedTo);
  }

  /** Removes the tool, if it is still there. */
  remove(tool: Tool): void {
    const { name } = tool.listed;
    if (this.#tools.get(name) !== tool) return;
    this.#tools.delete(name);
    this.#changed(tool.exposedTo);
  }

  /** The tool, if the origin may use it; the document's own origin (null) may use all. */
  find(name: string, foreign: string | null): Tool | undefined {
    const tool = this.#tools.get(name);
    return tool && isVisible(tool, foreign) ? tool : undefined;
  }

  /** The tools that the origin may see; a tool whose schema is not a JSON object is left out. */
  list(foreign: string | null): ListedTool[] {
    return [...this.#tools.values()]
      .filter((tool) => isVisible(tool, foreign) && !/^[^{[]/.test(tool.listed.inputSchema ?? ""))
      .map(({ listed }) => listed);
  }

  addForm(form: FormTool): boolean {
    if (this.has(form.name)) return false;
    this.#setForm(form);
    return true;
  }

  replaceForm(old: FormTool, form: FormTool): boolean {
    const taken = this.#tools.get(form.name);
    const previous = this.#forms.get(old);
    if (taken && taken !== previous) return false;
    this.#forms.delete(old);
    if (previous) this.#tools.delete(previous.listed.name);
    this.#setForm(form);
    return true;
  }

  removeForm(form: FormTool): void {
    const tool = this.#forms.get(form);
    this.#forms.delete(form);
    if (tool) this.remove(tool);
  }

  #setForm(form: FormTool): void {
    const { name, title, description, inputSchema } = form;
    const tool: Tool = {
      listed: { name, title, description, inputSchema, annotations: undefined },
      exposedTo: NOBODY,
      run: (input, signal, events) => form.execute(input, signal, events),
    };
    this.#forms.set(form, tool);
    this.add(tool);
  }
}

function isVisible(tool: Tool, foreign: string | null): boolean {
  return foreign === null || tool.exposedTo.has(foreign);
}
