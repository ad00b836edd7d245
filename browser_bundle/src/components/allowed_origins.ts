/** The origin of a document, and the origins that its head allows to share tools with it. */

const NAME = "webmcp-origins";

/**
 * The origin of this document, `null` if it is sandboxed. Scripts of the page may shadow the global `origin`.
 * A document without an address of its own has the origin of its creator.
 */
export function ownOrigin(): string {
  const addressed = location.origin !== "null" && self.origin !== "null";
  return addressed ? location.origin : self.origin;
}

/**
 * Whether a document shares tools with this origin: its own, or one that its head lists.
 *
 * Only the head counts, so that markup injected into the body allows nothing. The list is read
 * each time, so it may come after the script.
 */
export function isAllowed(origin: string): boolean {
  // Every sandboxed frame has the origin `null`, whoever wrote it.
  if (origin === "null") return false;
  return origin === ownOrigin() || listedOrigins().has(origin);
}

/** The tag that allows an origin. */
export function allowingTag(origin: string): string {
  return `<meta name="${NAME}" content="${origin}">`;
}

/** The origins in the list of this document, without its own. */
export function listedOrigins(): Set<string> {
  const tags = document.head?.querySelectorAll<HTMLMetaElement>(`meta[name="${NAME}" i]`) ?? [];
  const words = [...tags].flatMap((tag) => tag.content.split(/[\s,]+/));
  const origins = words.filter((word) => URL.canParse(word)).map((word) => new URL(word).origin);
  return new Set(origins.filter((origin) => origin !== "null"));
}
