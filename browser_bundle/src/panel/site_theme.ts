/** Reads the colours, the font and the corners of a site, so that the panel looks like a part of it. */

/** Values of the panel's own properties (`--wa-…`), and whether its dark palette fills the rest. */
interface SiteTheme {
  dark: boolean;
  values: Record<string, string>;
}

/** Red, green and blue from 0 to 255. */
type Colour = [number, number, number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
/** The panel's own colours, where the site has none. */
const LIGHT = { background: WHITE, text: [28, 33, 39], accent: [49, 87, 204], good: [25, 117, 74], bad: [179, 38, 30] } as const;
const DARK = { background: [23, 25, 30], text: [232, 234, 238], accent: [150, 178, 255], good: [114, 207, 157], bad: [255, 176, 166] } as const;

/** The contrast that WCAG asks of text; what lies on a tint of itself needs some more. */
const READABLE = 4.6;
const ON_TINT = 5.4;
/** The contrast of plain text, and that which the background must leave room for. */
const COMFORTABLE = 7;
const ROOM = 10;
/** Elements of the page that are looked at. */
const MOST_ELEMENTS = 150;

const PREFERS_DARK = matchMedia("(prefers-color-scheme: dark)");

/**
 * Read the theme of the page. Text and marks keep a contrast of 4.5 on the panel's backgrounds, whatever the page
 * has.
 *
 * @param host Element whose custom properties, those of the site, come before everything here.
 */
export function readTheme(host: Element): SiteTheme {
  const given = (name: string) => parse(getComputedStyle(host).getPropertyValue(`--webagent-${name}`).trim());
  const content = document.querySelector("main") ?? document.body;
  const found = given("background") ?? backgroundOf(content);
  const dark = found ? luminance(found) < 0.18 : prefersDark();
  const palette = dark ? DARK : LIGHT;
  // On a middle grey nothing is readable: the panel is a lighter or darker one.
  const far = (colour: Colour) => (luminance(colour) < 0.18 ? WHITE : BLACK);
  let background: Colour = found ?? [...palette.background];
  const pole = far(background);
  if (!given("background")) background = moved(background, pole === WHITE ? BLACK : WHITE, (one) => contrast(one, pole) >= ROOM);
  const readable = (colour: Colour, on: Colour, ratio: number) => moved(colour, pole, (one) => contrast(one, on) >= ratio);
  const text = given("text") ?? readable(found ? colourOf(content, "color") ?? pole : [...palette.text], background, COMFORTABLE);
  const surface = given("surface") ?? mix(background, text, 0.05);
  const { primary, radius } = buttonsOf(background);
  const accent = given("accent") ?? readable(primary?.colour ?? linkColour(content, text) ?? (saturation(text) > 0.5 ? text : [...palette.accent]), surface, ON_TINT);
  const label = primary?.label;
  const onAccent = label && contrast(label, accent) >= READABLE ? label : contrast(WHITE, accent) >= READABLE ? WHITE : BLACK;
  const colours = {
    background,
    surface,
    text,
    muted: readable(mix(text, background, 0.3), surface, READABLE),
    border: mix(background, text, 0.14),
    field: readable(mix(text, background, 0.5), background, 3.2),
    accent,
    "on-accent": onAccent,
    good: readable([...palette.good], surface, ON_TINT),
    bad: readable([...palette.bad], surface, ON_TINT),
  };
  const values: Record<string, string> = {};
  // A page without colours of its own gets the panel's palette as it is.
  if (found) for (const [name, colour] of Object.entries(colours)) values[name] = hex(colour);
  else Object.assign(values, { accent: hex(accent), "on-accent": hex(onAccent) });
  const font = getComputedStyle(content).fontFamily;
  if (font) values["font"] = font;
  if (radius !== undefined) values["round"] = String(Math.min(radius / 10, 1.5));
  return { dark, values };
}

/** Call `listener` when the theme may have changed. */
export function watchTheme(listener: () => void): void {
  let waits: ReturnType<typeof setTimeout>[] = [];
  // Soon, and once more, as sites fade from one theme to the other.
  const later = () => {
    waits.forEach(clearTimeout);
    waits = [50, 600].map((wait_ms) => setTimeout(listener, wait_ms));
  };
  const observer = new MutationObserver(later);
  // Sites switch their theme by a class, an attribute or a style of the root or the body, or by a meta tag.
  for (const element of [document.documentElement, document.body, ...document.querySelectorAll('meta[name="color-scheme" i]')]) {
    observer.observe(element, { attributes: true });
  }
  PREFERS_DARK.addEventListener("change", later);
  addEventListener("load", later);
}

/** Whether the page is dark, or the person's system where the page does not say. */
function prefersDark(): boolean {
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const light = /\blight\b/.test(scheme);
  const dark = /\bdark\b/.test(scheme);
  return light === dark ? PREFERS_DARK.matches : dark;
}

/** The colour behind the content; undefined where nothing paints one. */
function backgroundOf(content: Element): Colour | undefined {
  for (let at: Element | null = content; at; at = at.parentElement) {
    const colour = colourOf(at, "background-color");
    if (colour) return colour;
  }
  return undefined;
}

interface PrimaryButton {
  colour: Colour;
  label: Colour | undefined;
}

/** The button that stands out most, and the radius of the corners of buttons. */
function buttonsOf(background: Colour): { primary?: PrimaryButton; radius?: number } {
  let primary: PrimaryButton | undefined;
  let radius: number | undefined;
  let best = 0.25;
  const shown = document.querySelectorAll('button, input[type="submit"], [role="button"], a[class*="btn" i], a[class*="button" i]');
  for (const element of [...shown].slice(0, MOST_ELEMENTS)) {
    const style = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    // The browser's own buttons are not the site's taste.
    if (style.borderTopStyle === "outset" || width < 20 || height < 16) continue;
    const corner = style.borderTopLeftRadius;
    const isRound = corner.endsWith("%") || parseFloat(corner) >= height / 2 - 1;
    const isIcon = width < height * 1.3;
    const colour = colourOf(element, "background-color");
    if (!colour || isIcon) continue;
    radius ??= isRound ? 15 : parseFloat(corner);
    const isNamed = /primary|submit|cta|main|buy/i.test(`${element.className} ${element.id} ${(element as HTMLButtonElement).type}`);
    const visible = contrast(colour, background);
    // Many sites have black buttons.
    const score = visible < 1.3 ? 0 : saturation(colour) + (isNamed ? 0.5 : 0) + (visible > 3 ? 0.3 : 0);
    if (score <= best) continue;
    best = score;
    primary = { colour, label: colourOf(element, "color") };
    radius = isRound ? 15 : parseFloat(corner);
  }
  return { ...(primary && { primary }), ...(radius !== undefined && { radius }) };
}

/** The colour of links, where it is one. */
function linkColour(content: Element, text: Colour): Colour | undefined {
  for (const link of [...content.querySelectorAll("a[href]")].slice(0, MOST_ELEMENTS)) {
    const colour = colourOf(link, "color");
    // The browser's own blue is not the site's taste either.
    if (colour && saturation(colour) > 0.25 && hex(colour) !== "#0000ee" && hex(colour) !== "#551a8b" && hex(colour) !== hex(text)) return colour;
  }
  return undefined;
}

function colourOf(element: Element, property: "color" | "background-color"): Colour | undefined {
  return parse(getComputedStyle(element).getPropertyValue(property));
}

let pen: CanvasRenderingContext2D | null | undefined;

/** A colour of CSS; undefined if it is (nearly) transparent. */
function parse(css: string): Colour | undefined {
  const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(css);
  if (plain) return Number(plain[4] ?? 1) < 0.6 ? undefined : [Number(plain[1]), Number(plain[2]), Number(plain[3])];
  if (!css || !CSS.supports("color", css) || /var\(|currentcolor/i.test(css)) return undefined;
  // A pixel in this colour has the numbers of every other notation.
  pen ??= Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  if (!pen) return undefined;
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = css;
  pen.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = pen.getImageData(0, 0, 1, 1).data;
  return alpha < 150 ? undefined : [red, green, blue];
}

/** The first colour on the way to another one that is right; that other one if there is none. */
function moved(colour: Colour, towards: Colour, isRight: (colour: Colour) => boolean): Colour {
  for (let part = 0; part < 1; part += 0.05) {
    const one = mix(colour, towards, part);
    if (isRight(one)) return one;
  }
  return towards;
}

function mix(colour: Colour, other: Colour, part: number): Colour {
  return colour.map((value, i) => Math.round(value + ((other[i] ?? 0) - value) * part)) as Colour;
}

function saturation(colour: Colour): number {
  return (Math.max(...colour) - Math.min(...colour)) / 255;
}

/** Relative luminance, as WCAG defines it. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: Colour, b: Colour): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function hex(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
