/** The origin of a document, those whose frames it works with, and where it says so. */

const NAME = "webmcp-origins";

/**
 * `https://shop.example`, or `null` if it is sandboxed; also where a script of the page has a variable `origin`.
 * A document without an address of its own has the origin of whoever made it.
 */
export function ownOrigin(): string {
  const addressed = location.origin !== "null" && self.origin !== "null";
  return addressed ? location.origin : self.origin;
}

/**
 * Whether a document works with frames of this origin: its own, and those it lists in its head.
 *
 * Only the head counts: markup that somebody gets into the body opens nothing. The list is read
 * each time, so it may come after the script.
 */
export function isAllowed(origin: string): boolean {
  // Every sandboxed frame has the origin `null`, whoever wrote it.
  if (origin === "null") return false;
  return origin === ownOrigin() || listedOrigins().has(origin);
}

/** What to write so that this origin is allowed. */
export function allowingTag(origin: string): string {
  return `<meta name="${NAME}" content="${origin}">`;
}

/** The origins other than its own that this document works with. */
export function listedOrigins(): Set<string> {
  const tags = document.head?.querySelectorAll<HTMLMetaElement>(`meta[name="${NAME}" i]`) ?? [];
  const words = [...tags].flatMap((tag) => tag.content.split(/[\s,]+/));
  const origins = words.filter((word) => URL.canParse(word)).map((word) => new URL(word).origin);
  return new Set(origins.filter((origin) => origin !== "null"));
}
