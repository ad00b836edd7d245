/** Writes a page as XHTML with inline styles in each element, so that it looks the same elsewhere. */
import { accessOf, HIDDEN, IGNORE, MASK, ownAccess } from "../../base/agent_access.ts";
import {
  attr, dataOf, documentIn, inlineStyleOf, isElement, rectOf, restoreStyle, shownChildren, styleOf, tagOf, typeOf,
} from "../read/nodes.ts";
import type { Resources } from "./data_urls.ts";

const MOST_ELEMENTS = 20_000;
const DEEPEST = 500;
const SKIPPED =
  /^(script|style|template|noscript|head|link|meta|title|base|source|track|datalist|area|map|webagent-.*)$/;
/** Elements whose look comes from their kind, not only from styles. */
const REAL =
  /^(table|thead|tbody|tfoot|tr|td|th|caption|colgroup|col|input|textarea|select|option|optgroup|progress|meter|br|wbr|hr)$/;
const VOID = /^(input|br|wbr|hr|col)$/;
const KEPT = [
  "type",
  "colspan",
  "rowspan",
  "span",
  "placeholder",
  "max",
  "min",
  "rows",
  "cols",
  "size",
  "disabled",
  "dir",
  "lang",
];

export class Markup {
  readonly #view: Window & typeof globalThis;
  readonly #resources: Resources;
  readonly #whole: boolean;
  readonly #plain: Styles;
  #left = MOST_ELEMENTS;

  /** @param whole Whether the whole page is shown, rather than an element of it. */
  constructor(view: Window & typeof globalThis, resources: Resources, whole: boolean) {
    this.#view = view;
    this.#resources = resources;
    this.#whole = whole;
    this.#plain = plainStyles(view.document);
  }

  async of(target: Element): Promise<string> {
    return this.#element(target, this.#plain, 0, accessOf(target), true);
  }

  async #children(parent: Node, outer: Styles, depth: number, closed: number): Promise<string> {
    const parts: string[] = [];
    for (const child of shownChildren(parent)) {
      if (typeOf(child) === 3) parts.push(escape(seen(dataOf(child), closed)));
      else if (isElement(child)) parts.push(await this.#element(child, outer, depth + 1, closed));
    }
    return parts.join("");
  }

  /** @param around What is closed to agents around it; what they do not see is drawn without a colour. */
  async #element(element: Element, outer: Styles, depth: number, around: number, top = false): Promise<string> {
    const tag = tagOf(element);
    this.#left -= 1;
    const computed = styleOf(element);
    if (this.#left < 0 || depth > DEEPEST || SKIPPED.test(tag) || !computed || computed.display === "none") return "";
    if (tag === "svg") return this.#svg(element, computed, around);
    const closed = around | ownAccess(element);
    const own = stylesOf(computed);
    if (closed & IGNORE) own.set("opacity", "0");
    if (closed & MASK) own.set("background-image", "none");
    // The drawn copy would get scroll bars of its own.
    for (const name of ["overflow-x", "overflow-y"])
      if (/auto|scroll/.test(own.get(name) ?? "")) own.set(name, "hidden");
    const inner = documentIn(element);
    if (inner) {
      // A frame in a line is a box, and it cuts off what is outside of it.
      if (own.get("display") === "inline") own.set("display", "inline-block");
      for (const name of ["overflow-x", "overflow-y"]) own.set(name, "hidden");
    }
    const pixels = await this.#pixels(element, tag, closed);
    const real = pixels === null && REAL.test(tag);
    const styles = await this.#styles(element, own, outer, real, top);
    const name = pixels !== null ? "img" : real ? tag : "span";
    const attributes = `style="${styles}"${pixels ? ` src="${escape(pixels)}"` : ""}${real ? keptAttributes(element, tag, closed) : ""}`;
    if (pixels !== null || VOID.test(name)) return `<${name} ${attributes}/>`;
    if (tag === "textarea") return `<${name} ${attributes}>${escape(seen((element as HTMLTextAreaElement).value, closed))}</${name}>`;
    const inside = inner?.documentElement
      ? await this.#element(inner.documentElement, own, depth + 1, closed)
      : `${await this.#pseudo(element, "::before", own)}${await this.#children(element, own, depth, closed)}${await this.#pseudo(element, "::after", own)}`;
    const isScrolled = !top && element !== this.#view.document.scrollingElement;
    return `<${name} ${attributes}>${isScrolled ? scrolled(element, inside) : inside}</${name}>`;
  }

  async #styles(
    element: Element,
    own: Map<string, string>,
    outer: Styles,
    complete: boolean,
    top: boolean,
  ): Promise<string> {
    if (top) {
      for (const name of [
        "top",
        "left",
        "right",
        "bottom",
        "translate",
        "margin-top",
        "margin-left",
        "margin-right",
        "margin-bottom",
      ])
        own.delete(name);
      own.set("position", "static");
      // The root is drawn alone, so an inline one needs a box.
      if (own.get("display") === "inline") own.set("display", "inline-block");
    } else if (own.get("position") === "fixed" && this.#whole) {
      const { top: y, left } = rectOf(element);
      own.set("position", "absolute");
      own.set("top", `${y + this.#view.scrollY}px`);
      own.set("left", `${left + this.#view.scrollX}px`);
      own.set("right", "auto");
      own.set("bottom", "auto");
      for (const side of ["top", "left"]) own.set(`margin-${side}`, "0px");
    } else if (own.get("position") === "sticky") {
      const { top: y, left } = stuckBy(element as HTMLElement);
      own.set("position", "relative");
      own.set("top", `${y}px`);
      own.set("left", `${left}px`);
      own.set("right", "auto");
      own.set("bottom", "auto");
    }
    return this.#written(declared(own, this.#plain, outer, complete), element);
  }

  async #written(styles: readonly [string, string][], element: Element): Promise<string> {
    const parts: string[] = [];
    for (const [name, value] of styles) {
      const text = value.includes("url(") ? await this.#resources.inline(value, element.baseURI) : value;
      parts.push(`${name}:${text}`);
    }
    return escape(parts.join(";"));
  }

  /** The generated content before or after the inside of an element. */
  async #pseudo(element: Element, which: string, outer: Styles): Promise<string> {
    const computed = this.#view.getComputedStyle(element, which);
    const { content } = computed;
    if (content === "none" || content === "normal" || computed.display === "none") return "";
    const text = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
      .map(([, words = ""]) => words.replace(/\\(.)/g, "$1"))
      .join("");
    const styles = await this.#written(declared(stylesOf(computed), this.#plain, outer, false), element);
    return `<span style="${styles}">${escape(text)}</span>`;
  }

  /** The image that an element shows, as `data:`; null when it shows none. */
  async #pixels(element: Element, tag: string, closed: number): Promise<string | null> {
    if (!/^(canvas|video|img)$/.test(tag) && !(tag === "input" && attr(element, "type") === "image")) return null;
    if (closed & MASK) return "";
    if (tag === "canvas" || tag === "video") return imageOf(this.#view, element as HTMLCanvasElement | HTMLVideoElement);
    const image = element as HTMLImageElement;
    const source = image.currentSrc || image.src;
    return (source && (await this.#resources.get(source))) || "";
  }

  /** An SVG with its styles; references to other files are not followed. */
  async #svg(svg: Element, computed: CSSStyleDeclaration, around: number): Promise<string> {
    const copy = svg.cloneNode(true) as Element;
    const copies = [copy, ...copy.querySelectorAll("*")] as SVGElement[];
    for (const [index, original] of [svg, ...svg.querySelectorAll("*")].entries()) {
      const target = copies[index];
      const styles = index === 0 ? computed : index < 500 && target && styleOf(original);
      for (const name of !styles || !target ? [] : [
        "fill",
        "stroke",
        "stroke-width",
        "opacity",
        "color",
        "font-family",
        "font-size",
        "font-weight",
        "text-anchor",
        "display",
        "visibility",
        "fill-opacity",
        "stroke-dasharray",
        "stroke-linecap",
        "stroke-linejoin",
      ]) {
        target?.style.setProperty(name, (styles as CSSStyleDeclaration).getPropertyValue(name));
      }
      const closed = ownAccess(original) | (index === 0 ? around : 0);
      if (closed & (IGNORE | MASK)) target?.style.setProperty("opacity", "0", "important");
    }
    const { width, height } = rectOf(svg);
    for (const name of [
      "position",
      "top",
      "left",
      "margin-top",
      "margin-right",
      "margin-bottom",
      "margin-left",
      "vertical-align",
      "float",
    ]) {
      (copy as SVGElement).style.setProperty(name, computed.getPropertyValue(name));
    }
    copy.setAttribute("width", String(width));
    copy.setAttribute("height", String(height));
    for (const script of copy.querySelectorAll("script,foreignObject")) script.remove();
    return clean(new XMLSerializer().serializeToString(copy));
  }
}

/** The attributes of a control or cell that affect its look, and its value. */
function keptAttributes(element: Element, tag: string, closed: number): string {
  const attributes = KEPT.map((name) => [name, attr(element, name)] as const).filter(([, value]) => value !== null);
  const input = element as HTMLInputElement;
  if (tag === "input" && input.type !== "file")
    attributes.push(["value", seen(input.value, closed)]);
  if (tag === "input" && input.checked && !(closed & MASK)) attributes.push(["checked", ""]);
  if (tag === "option" && (element as HTMLOptionElement).selected) attributes.push(["selected", ""]);
  if (/^(progress|meter)$/.test(tag) && !(closed & MASK)) attributes.push(["value", attr(element, "value")]);
  return attributes.map(([name, value]) => ` ${name}="${escape(value ?? "")}"`).join("");
}

/** A text as it is drawn. */
const seen = (text: string, closed: number): string => (closed & MASK && text.trim() ? HIDDEN : text);

/** How far a sticky element is from its place in the flow, which only shows once it does not stick. */
function stuckBy(element: HTMLElement): { top: number; left: number } {
  const { top, left } = rectOf(element);
  const before = inlineStyleOf(element);
  element.style.setProperty("position", "static", "important");
  const flow = rectOf(element);
  restoreStyle(element, before);
  return { top: top - flow.top, left: left - flow.left };
}

/** Shifts the content of a box by its scroll position. */
function scrolled(element: Element, inside: string): string {
  const { scrollTop, scrollLeft } = element;
  if (scrollTop === 0 && scrollLeft === 0) return inside;
  return `<span style="display:block;transform:translate(${-scrollLeft}px,${-scrollTop}px)">${inside}</span>`;
}

function imageOf(view: Window & typeof globalThis, source: HTMLCanvasElement | HTMLVideoElement): string {
  try {
    if (source instanceof view.HTMLCanvasElement) return source.toDataURL();
    const canvas = view.document.createElement("canvas");
    canvas.width = Math.min(source.videoWidth, 2000);
    canvas.height = Math.min(source.videoHeight, 2000);
    canvas.getContext("2d")?.drawImage(source, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL();
  } catch {
    return "";
  }
}

/** Without characters that XML does not allow. */
const clean = (text: string): string =>
  text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    "",
  );

function escape(text: string): string {
  return clean(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

// The computed styles that decide how an element looks.

/** Properties that an element inherits. */
const INHERITED = new Set(
  `
  color cursor direction font-family font-feature-settings font-kerning font-size font-stretch font-style
  font-variant font-variation-settings font-weight hyphens letter-spacing line-height list-style-image
  list-style-position list-style-type overflow-wrap quotes tab-size text-align text-align-last text-indent
  text-rendering text-shadow text-transform text-wrap-mode text-wrap-style visibility white-space-collapse
  word-break word-spacing writing-mode border-collapse border-spacing caption-side empty-cells
  -webkit-text-fill-color -webkit-text-stroke-color -webkit-text-stroke-width fill stroke stroke-width
  fill-opacity stroke-opacity fill-rule stroke-linecap stroke-linejoin text-anchor
`
    .trim()
    .split(/\s+/),
);

const SIDES = ["top", "right", "bottom", "left"];
const CORNERS = ["top-left", "top-right", "bottom-right", "bottom-left"];
const OTHERS = `
  display position float clear top right bottom left width height min-width min-height max-width max-height
  box-sizing overflow-x overflow-y z-index opacity transform transform-origin translate rotate scale filter
  backdrop-filter mix-blend-mode clip-path mask-image mask-size mask-position mask-repeat background-color
  background-image background-size background-position background-repeat background-origin background-clip
  box-shadow outline-color outline-style outline-width outline-offset vertical-align text-decoration-line
  text-decoration-style text-decoration-color text-decoration-thickness text-underline-offset text-overflow
  flex-direction flex-wrap flex-grow flex-shrink flex-basis align-items align-content align-self justify-content
  justify-items justify-self order row-gap column-gap grid-template-columns grid-template-rows grid-template-areas
  grid-auto-flow grid-auto-columns grid-auto-rows grid-column-start grid-column-end grid-row-start grid-row-end
  column-count column-width table-layout object-fit object-position aspect-ratio appearance unicode-bidi
  -webkit-line-clamp -webkit-box-orient
`
  .trim()
  .split(/\s+/);

const PROPERTIES = [
  ...OTHERS,
  ...SIDES.flatMap((side) => [
    `margin-${side}`,
    `padding-${side}`,
    `border-${side}-width`,
    `border-${side}-style`,
    `border-${side}-color`,
  ]),
  ...CORNERS.map((corner) => `border-${corner}-radius`),
  ...INHERITED,
];

type Styles = ReadonlyMap<string, string>;

function stylesOf(computed: CSSStyleDeclaration): Map<string, string> {
  return new Map(PROPERTIES.map((name) => [name, computed.getPropertyValue(name)]));
}

/** The styles of an element without any style rules. */
function plainStyles(document: Document): Styles {
  const probe = document.createElement("webagent-plain");
  probe.style.setProperty("all", "initial", "important");
  document.documentElement.append(probe);
  try {
    return stylesOf((document.defaultView as Window).getComputedStyle(probe));
  } finally {
    probe.remove();
  }
}

/** The properties that differ from those of an unstyled element inside `outer`. */
function declared(own: Styles, plain: Styles, outer: Styles, complete: boolean): [string, string][] {
  return [...own].filter(([name, value]) => {
    if (!value) return false;
    return complete || value !== (INHERITED.has(name) ? (outer.get(name) ?? plain.get(name)) : plain.get(name));
  });
}
