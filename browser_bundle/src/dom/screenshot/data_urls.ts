/** Images and fonts of a page as `data:` URLs, if the page may read them. */

const MOST = 200;
const MOST_BYTES = 20_000_000;
const TIMEOUT_MS = 3000;

export class Resources {
  readonly #view: Window & typeof globalThis;
  readonly #known = new Map<string, Promise<string | null>>();
  #left = MOST_BYTES;

  constructor(view: Window & typeof globalThis) {
    this.#view = view;
  }

  /** The content of a URL as `data:`; null when it cannot be read. */
  get(url: string): Promise<string | null> {
    if (url.startsWith("data:")) return Promise.resolve(url);
    let found = this.#known.get(url);
    if (!found) {
      found = this.#known.size < MOST ? this.#fetch(url).catch(() => null) : Promise.resolve(null);
      this.#known.set(url, found);
    }
    return found;
  }

  async #fetch(url: string): Promise<string | null> {
    const response = await this.#view.fetch(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      credentials: "same-origin",
    });
    const blob = await response.blob();
    this.#left -= blob.size;
    if (!response.ok || this.#left < 0) return null;
    return new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result));
      reader.onerror = () => resolve(null);
      reader.readAsDataURL(blob);
    });
  }

  /** A style value with its URLs replaced; those that cannot be read are left out. */
  async inline(value: string, base: string): Promise<string> {
    const found = [...value.matchAll(/url\("((?:[^"\\]|\\.)*)"\)/g)];
    let text = value;
    for (const [whole, raw = ""] of found.slice(0, 10)) {
      const url = absolute(raw.replace(/\\(.)/g, "$1"), base);
      const data = url && (await this.get(url));
      text = text.replace(whole, data ? `url("${data}")` : "none");
    }
    return text;
  }
}

function absolute(url: string, base: string): string | null {
  try {
    return new URL(url, base).href;
  } catch {
    return null;
  }
}

/** The `@font-face` rules of the fonts that the page has loaded. */
export async function fontsOf(view: Window & typeof globalThis, resources: Resources): Promise<string> {
  const loaded = new Set(
    [...view.document.fonts].filter(({ status }) => status === "loaded").map(({ family }) => bare(family)),
  );
  const rules: string[] = [];
  if (loaded.size === 0) return "";
  for (const sheet of [...view.document.styleSheets, ...view.document.adoptedStyleSheets]) {
    for (const rule of rulesOf(sheet)) {
      if (!(rule instanceof view.CSSFontFaceRule) || !loaded.has(bare(rule.style.getPropertyValue("font-family"))))
        continue;
      const text = await resources.inline(rule.cssText, sheet.href ?? view.document.baseURI);
      if (text.includes("data:")) rules.push(text.replace(/</g, "\\3c "));
    }
  }
  return rules.join("\n").replace(/&/g, "&amp;");
}

function rulesOf(sheet: CSSStyleSheet): CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch {
    return [];
  }
}

const bare = (family: string): string => family.replace(/["']/g, "").toLowerCase();
