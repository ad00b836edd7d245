/** The manifest that the page names, and the findings of the checks about it. */

/** A manifest's text and where it came from. */
export interface ManifestText {
  text: string;
  /** Path within the site, for findings: `webagents.md`. */
  path: string;
}

/**
 * Fetch a manifest, if there is one. It has to be on the page's own origin, as for every agent: the
 * tools of another site are not the page's.
 *
 * @throws Error that says what the server answered instead.
 */
export async function fetchManifest(url: string | null): Promise<ManifestText | undefined> {
  if (url === null) return undefined;
  const { origin, pathname } = new URL(url);
  if (origin !== location.origin) {
    throw new Error(`the manifest \`${url}\` is on another origin than the page - publish it on \`${location.origin}\``);
  }
  // The browser then refuses redirects to another origin, before a request is sent there.
  const response = await fetch(url, { mode: "same-origin" }).catch(() => {
    throw new Error(`the manifest \`${pathname}\` cannot be loaded - the server does not answer, or leads to another origin`);
  });
  if (!response.ok) throw new Error(`the manifest \`${pathname}\` answered ${response.status}`);
  const type = response.headers.get("content-type") ?? "";
  if (/^(text\/html|application\/xhtml)/i.test(type)) {
    throw new Error(`the manifest \`${pathname}\` is an HTML page, not Markdown`);
  }
  return { text: await response.text(), path: pathname.replace(/^\//, "") };
}

/** A finding of a check; lines and columns count from 1. */
export interface Finding {
  rule: string;
  severity: "error" | "warning" | "info";
  message: string;
  help: string;
  path: string;
  span: { start: Place; end: Place };
  tool?: string;
  fix?: { title: string; edits: { start_offset: number; end_offset: number; text: string }[] };
}

/** A place in the text of a manifest. */
interface Place {
  line: number;
  column: number;
}

/** Findings in the manifest, and differences between the manifest and the page. */
export class Findings {
  #checked: Finding[] = [];
  #drift: Finding[] = [];
  /** Whether the development server has sent findings: it checks the file itself, which may be newer. */
  #outside = false;
  /** Whether a manifest was loaded that nothing has checked yet. */
  #unchecked = false;
  #onChange: (findings: Finding[]) => void;

  /** @param onChange Called with all findings after each change. */
  constructor(onChange: (findings: Finding[]) => void) {
    this.#onChange = onChange;
  }

  get all(): Finding[] {
    return [...this.#checked, ...this.#drift];
  }

  /** Whether only a check in the page can say what is wrong with the manifest. */
  get needCheck(): boolean {
    return this.#unchecked && !this.#outside;
  }

  /** Remember that a manifest was loaded. */
  manifestLoaded(): void {
    this.#unchecked = true;
  }

  /** Take the findings of the server; from then on those of the page are ignored. */
  checkedOutside(findings: Finding[]): void {
    this.#outside = true;
    this.#checked = findings;
    this.#onChange(this.all);
  }

  /** Take the findings of a check in the page. */
  checkedHere(findings: Finding[]): void {
    if (this.#outside) return;
    this.#unchecked = false;
    this.#checked = findings;
    this.#onChange(this.all);
  }

  /** Take the differences between the manifest and the page. */
  drifted(findings: Finding[]): void {
    this.#drift = findings;
    this.#onChange(this.all);
  }
}
