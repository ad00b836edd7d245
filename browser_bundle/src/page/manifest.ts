/** Fetches the manifest that the page names. */

/** A manifest's text and where it came from. */
export interface ManifestText {
  text: string;
  /** Path within the site, for findings: `webagents.md`. */
  path: string;
}

/**
 * Fetch a manifest, if there is one.
 *
 * @throws Error that says what the address answered instead.
 */
export async function fetchManifest(url: string | null): Promise<ManifestText | undefined> {
  if (url === null) return undefined;
  const { pathname } = new URL(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the manifest \`${pathname}\` answered ${response.status}`);
  const type = response.headers.get("content-type") ?? "";
  if (/^(text\/html|application\/xhtml)/i.test(type)) {
    throw new Error(`the manifest \`${pathname}\` is an HTML page, not Markdown`);
  }
  return { text: await response.text(), path: pathname.replace(/^\//, "") };
}

/** What a check says about a manifest; lines and columns count from 1. */
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

interface Place {
  line: number;
  column: number;
}

/** What was found in the manifest, and where the page is not what it says. */
export class Findings {
  #checked: Finding[] = [];
  #drift: Finding[] = [];
  /** The development server knows the file as it is, which may be newer than what it serves. */
  #outside = false;
  #onChange: (findings: Finding[]) => void;

  /** @param tell Takes all findings whenever they are others. */
  constructor(onChange: (findings: Finding[]) => void) {
    this.#onChange = onChange;
  }

  get all(): Finding[] {
    return [...this.#checked, ...this.#drift];
  }

  /** Take what a check outside the page found; from then on it is believed. */
  checkedOutside(findings: Finding[]): void {
    this.#outside = true;
    this.#checked = findings;
    this.#onChange(this.all);
  }

  /** Take what a check in the page found. */
  checkedHere(findings: Finding[]): void {
    if (this.#outside) return;
    this.#checked = findings;
    this.#onChange(this.all);
  }

  /** Take where the page is not what the manifest says. */
  drifted(findings: Finding[]): void {
    this.#drift = findings;
    this.#onChange(this.all);
  }
}
