/** The computed styles that decide how an element looks. */

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

export type Styles = ReadonlyMap<string, string>;

export function stylesOf(computed: CSSStyleDeclaration): Map<string, string> {
  return new Map(PROPERTIES.map((name) => [name, computed.getPropertyValue(name)]));
}

/** The styles of an element without any style rules. */
export function plainStyles(document: Document): Styles {
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
export function declared(own: Styles, plain: Styles, outer: Styles, complete: boolean): [string, string][] {
  return [...own].filter(([name, value]) => {
    if (!value) return false;
    return complete || value !== (INHERITED.has(name) ? (outer.get(name) ?? plain.get(name)) : plain.get(name));
  });
}
