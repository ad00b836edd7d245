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
