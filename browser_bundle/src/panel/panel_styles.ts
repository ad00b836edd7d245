/**
 * Styles of the panel. A site can set the custom properties `--webagent-…`, which reach into a shadow
 * root. Nothing else does: an important rule of a shadow root overrides all rules of the page for its
 * host.
 */

try {
  // Texts grow with the font size that a person has set in the browser, which `em` of the host is, and nothing else.
  CSS.registerProperty({ name: "--wa-px", syntax: "<length>", inherits: true, initialValue: "1px" });
} catch {
  // Another script of ours has done it.
}

/** Of a panel above the page; a panel in the layout of the page has none of it. */
export const HOST_CSS = `
:host {
  --wa-t: auto !important; --wa-r: var(--wa-end, 16px) !important; --wa-l: auto !important;
  --wa-b: calc(var(--wa-bottom, 16px) + var(--wa-keyboard, 0px)) !important;
  all: initial !important; display: block !important; position: fixed !important; z-index: 2147483646 !important;
  inset: var(--wa-t) var(--wa-r) var(--wa-b) var(--wa-l) !important;
  inline-size: min(var(--wa-width, var(--webagent-width, calc(400 * var(--wa-px)))), calc(100vw - 32px)) !important;
  margin: 0 !important; padding: 0 !important; border: 0 !important; overflow: visible !important;
  background: none !important; pointer-events: auto !important; visibility: visible !important;
}
:host(:is(:dir(rtl):not([data-aside="start"]), [data-aside="start"]:not(:dir(rtl)))) {
  --wa-l: var(--wa-end, 16px) !important; --wa-r: auto !important; }
:host([data-shown="minimised"]) { --wa-t: auto !important; --wa-end: 16px !important;
  --wa-b: 16px !important; inline-size: auto !important; max-inline-size: min(320px, calc(100vw - 32px)) !important; }
:host([data-shown="closed"]) { display: none !important; }
@media (max-width: 560px) {
  :host(:not([data-shown="minimised"])) { --wa-t: auto !important; --wa-b: var(--wa-keyboard, 0px) !important;
    inset: var(--wa-t) 0px var(--wa-b) 0px !important; inline-size: 100vw !important; }
}
@media print { :host { display: none !important; } }
`;

export const PANEL_CSS = `
:host { font-size: medium !important; --wa-px: .0625em; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.frame {
  --bg: var(--webagent-background, var(--wa-background, #fff)); --surface: var(--webagent-surface, var(--wa-surface, #f5f6f8));
  --text: var(--webagent-text, var(--wa-text, #1c2127)); --muted: var(--webagent-muted, var(--wa-muted, #59616f));
  --line: var(--webagent-border, var(--wa-border, #e1e4e9)); --accent: var(--webagent-accent, var(--wa-accent, #3157cc));
  --on-accent: var(--webagent-on-accent, var(--wa-on-accent, #fff)); --good: var(--webagent-good, var(--wa-good, #19754a));
  --bad: var(--webagent-bad, var(--wa-bad, #b3261e)); --field: var(--wa-field, #868e9c);
  --shadow: 0 0 0 1px var(--line), 0 12px 40px rgb(20 24 32 / .22);
  --r: calc(10px * var(--wa-round, 1)); position: relative;
  color-scheme: light; color: var(--text); text-align: start; line-height: 1.5; font-size: calc(14.5 * var(--wa-px)); overflow-wrap: anywhere;
  font-family: var(--webagent-font, var(--wa-font, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif));
  -webkit-text-size-adjust: 100%; -webkit-font-smoothing: antialiased;
}
.frame:not(.dressed) { animation: veil .4s; }
@keyframes veil { from, to { opacity: 0; } }
.panel { display: flex; flex-direction: column; overflow: hidden; background: var(--bg);
  border-radius: var(--webagent-radius, calc(1.6 * var(--r))); box-shadow: var(--shadow); height: var(--wa-height);
  max-height: calc(100vh - 32px); max-height: calc(100dvh - 32px - var(--wa-keyboard, 0px)); }
.panel.talking { height: var(--wa-height, calc(660 * var(--wa-px))); }
.head { display: flex; align-items: center; gap: 2px; padding: 8px 8px 8px 18px; flex: none; }
:dir(rtl) > .head { padding: 8px 18px 8px 8px; }
.head .star { inline-size: 16px; block-size: 16px; color: var(--accent); stroke: none; }
.head > .star { margin-inline-end: 6px; }
.window { display: flex; gap: 2px; }
h2 { flex: 1; min-inline-size: 0; margin: 0; font-size: calc(14.5 * var(--wa-px)); font-weight: 620; letter-spacing: -.005em; }
h3 { margin: 0; font-size: calc(12.5 * var(--wa-px)); font-weight: 620; color: var(--muted); }
h4 { margin: 10px 0 2px; font-size: calc(12 * var(--wa-px)); font-weight: 620; color: var(--muted); }
p, .text { margin: 0; white-space: pre-wrap; }
.quiet { color: var(--muted); font-size: calc(13 * var(--wa-px)); }

button, .button { font: inherit; font-size: calc(14 * var(--wa-px)); font-weight: 560; color: var(--text); cursor: pointer;
  background: var(--bg); border: 1px solid var(--line); border-radius: var(--r); padding: 7px 13px; min-height: 36px;
  max-inline-size: 100%; touch-action: manipulation; }
button:hover, .button:hover { background: var(--surface); }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover, .button.primary:hover { background: color-mix(in srgb, var(--accent) 90%, var(--text)); }
button.icon { display: grid; place-items: center; inline-size: 36px; padding: 0; border-color: transparent; background: none; color: var(--muted); }
button.icon:hover { background: var(--surface); color: var(--text); }
button.link { border: 0; font-weight: 400; background: none; padding: 0; min-height: 24px; color: var(--accent); font-size: calc(12.5 * var(--wa-px)); text-decoration: underline; text-underline-offset: 2px; }
button:focus-visible, summary:focus-visible, .log:focus-visible, dl:focus-visible, .details:focus-visible,
.request:focus-visible, .asking:focus-visible, .long:focus-visible, input:focus-visible + .button { outline: 2px solid var(--accent); outline-offset: 2px; }
.log:focus-visible, .details:focus-visible, .asking:focus-visible, .request:focus-visible { outline-offset: -2px; }
button[disabled], button[aria-disabled=true] { opacity: .5; cursor: default; }
.picture { inline-size: 20px; block-size: 20px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.picture.stop, .picture.star { fill: currentColor; }

.log { flex: 1 1 auto; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 0 18px;
  display: flex; flex-direction: column; gap: 14px; scrollbar-width: thin; }
.log > * { flex: none; }
.log > :first-child { margin-block-start: 4px; }
.log > :last-child { margin-block-end: 16px; }
.bubble { align-self: flex-end; max-inline-size: 86%; padding: 8px 13px; border-radius: calc(1.4 * var(--r)); border-end-end-radius: calc(.4 * var(--r));
  background: color-mix(in srgb, var(--accent) 13%, var(--bg)); }
.note { color: var(--muted); font-size: calc(13 * var(--wa-px)); }
.note.went { align-self: center; padding: 0 8px; text-align: center; }
.log .plan { border-inline-start: 2px solid color-mix(in srgb, var(--accent) 45%, var(--bg)); padding-block: 1px; padding-inline-start: 13px; }
.plan p { margin-top: 2px; }
.plan ol { margin: 6px 0 0; padding: 0 19px; color: var(--muted); font-size: calc(13.5 * var(--wa-px)); }
.plan li { padding: 1px 0; }

.steps { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 2px; }
.steps.inner:empty { display: none; }
.steps.inner { margin-inline-start: 28px; }
summary { list-style: none; cursor: pointer; border-radius: 8px; }
summary::-webkit-details-marker { display: none; }
.step summary { display: flex; gap: 9px; padding: 5px 8px; margin-inline: -8px; align-items: flex-start; }
.step summary:hover { background: var(--surface); }
.step .picture { inline-size: 18px; block-size: 18px; margin-top: 2px; }
.step .picture.done { color: var(--good); }
.step .picture.failed { color: var(--bad); }
.step .picture.cancelled, .step .picture.chevron, .step .time { color: var(--muted); }
.step .picture.started { color: var(--accent); }
.step .picture.chevron { inline-size: 14px; block-size: 14px; margin-top: 4px; }
.step .picture.chevron:dir(rtl) { scale: -1 1; }
details[open] > summary > .picture.chevron { rotate: 90deg; }
.what { flex: 1; min-inline-size: 0; display: flex; flex-direction: column; }
.what .fault { font-size: calc(13 * var(--wa-px)); }
code, pre { font-family: var(--webagent-mono, ui-monospace, "SF Mono", Menlo, Consolas, monospace); font-size: calc(12 * var(--wa-px)); }
code { unicode-bidi: plaintext; }
p code, .plan li code, .title code, .fault code { font-size: .92em; }
.call { color: var(--muted); font-size: calc(12.5 * var(--wa-px)); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.call:empty { display: none; }
.time { flex: none; direction: ltr; font-size: calc(12 * var(--wa-px)); margin-top: 2px; font-variant-numeric: tabular-nums; }
.step .body { margin: 2px 0 8px 27px; }
.step .body:dir(rtl) { margin: 2px 27px 8px 0; }
.step .body h4:first-child { margin-top: 2px; }
pre { margin: 0; white-space: pre-wrap; line-height: 1.5; }
.body > pre, .body > div > pre { background: var(--surface); border-radius: 8px; padding: 7px 10px; }
dl { margin: 0; display: grid; grid-template-columns: minmax(0, auto) minmax(0, 1fr); gap: 3px 12px; }
dt { color: var(--muted); font-size: calc(13 * var(--wa-px)); max-inline-size: 130px; }
dd { margin: 0; min-inline-size: 0; font-size: calc(13 * var(--wa-px)); }
dd pre { line-height: 1.6; }

.outcome { display: flex; gap: 10px; padding: 11px 13px; border-radius: calc(1.2 * var(--r)); background: color-mix(in srgb, var(--good) 9%, var(--bg)); }
.outcome .picture { color: var(--good); margin-top: 1px; }
.outcome.bad { background: color-mix(in srgb, var(--bad) 9%, var(--bg)); }
.outcome.bad .picture { color: var(--bad); }
.outcome.ended { background: var(--surface); }
.outcome.ended .picture { color: var(--muted); }
.outcome .quiet { margin-top: 4px; }
.outcome summary { color: var(--muted); font-size: calc(13 * var(--wa-px)); text-decoration: underline; text-underline-offset: 2px; padding-top: 4px; }
.outcome .row { margin-top: 9px; }
.outcome > div { min-inline-size: 0; }

.requests:empty { display: none; }
.talking .log { flex-basis: 0; }
.requests { flex: 0 1 auto; min-block-size: 0; display: flex; border-top: 1px solid var(--line); background: var(--surface); }
.request { flex: 1; min-inline-size: 0; min-block-size: 0; display: flex; flex-direction: column; }
.asking, .answers { padding: 13px 18px 0; display: flex; flex-direction: column; gap: 9px; }
.asking { flex: 0 1000 auto; min-block-size: 60px; overflow-y: auto; overscroll-behavior: contain; padding-bottom: 10px; }
.asking > * { flex: none; }
.plan .asking { min-block-size: 0; padding-bottom: 5px; }
.answers { flex: 0 1 auto; min-block-size: 52px; padding-block: 3px 16px; max-block-size: 50vh; overflow-y: auto; }
.request h3 { color: var(--accent); }
.request .asked { font-weight: 560; line-height: 1.4; }
.row { display: flex; flex-wrap: wrap; gap: 8px; }
.request form { display: flex; flex-direction: column; gap: 7px; }
.tags { display: flex; flex-wrap: wrap; gap: 8px; align-items: baseline; font-size: calc(13 * var(--wa-px)); color: var(--muted); }
.tags code { color: var(--text); font-size: calc(12.5 * var(--wa-px)); }
.severe { color: var(--bad); font-weight: 560; font-size: calc(13 * var(--wa-px)); }
.choices, .fields { display: flex; flex-direction: column; gap: 6px; }
.choice { text-align: start; overflow-wrap: anywhere; }
.choice .quiet, fieldset .quiet, .field .quiet { display: block; }
fieldset > .quiet { flex: 1 0 100%; }
fieldset { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 0; padding: 0; border: 0; }
legend, .field > span:first-child { padding: 0; font-size: calc(13 * var(--wa-px)); font-weight: 560; color: var(--text); }
fieldset label { display: flex; gap: 7px; align-items: baseline; min-height: 28px; }
.given { padding: 9px 12px; border: 1px solid var(--line); border-radius: var(--r); background: var(--bg); gap: 7px 12px; }
.given .thing { margin: 0; font-weight: 600; }
.given code, .given pre { font-size: calc(12.5 * var(--wa-px)); }
.origin { display: block; color: var(--muted); font-size: calc(12 * var(--wa-px)); }
.size, .hint { color: var(--muted); font-size: calc(12.5 * var(--wa-px)); }
.sized { display: flex; flex-direction: column; gap: 3px; }
.long { max-block-size: 190px; overflow-y: auto; border: 1px solid var(--field); border-radius: 8px; padding: 6px 9px; }
.waiting { block-size: 4000px; }
.mark { color: var(--bad); background: color-mix(in srgb, var(--bad) 12%, var(--bg)); border-radius: 4px; padding: 0 2px;
  font-family: var(--webagent-mono, ui-monospace, monospace); font-size: .94em; unicode-bidi: isolate; }
.odd code { font-size: .94em; }
.odd { margin: 0; padding: 0; list-style: none; color: var(--bad); font-size: calc(13 * var(--wa-px)); }
ol.members, ol.calls { margin: 0; padding-inline-start: 22px; display: flex; flex-direction: column; gap: 5px; }
ol.members::marker, ol.calls > ::marker { color: var(--muted); font-size: calc(12 * var(--wa-px)); }
.grants { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 6px; }
.grant { inline-size: 100%; text-align: start; font-weight: 400; }
.grant::first-letter { text-transform: uppercase; }

label { font-size: calc(13 * var(--wa-px)); color: var(--muted); }
textarea, select, input:not([type=file], [type=radio]) { font: inherit; font-size: calc(15 * var(--wa-px)); line-height: 1.45; color: var(--text); background: var(--bg); inline-size: 100%;
  border: 1px solid var(--field); border-radius: calc(1.2 * var(--r)); padding: 9px 12px; margin: 0; outline: none; resize: none;
  field-sizing: content; min-block-size: 42px; max-block-size: 30vh; }
textarea:focus, select:focus, input:focus { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
::placeholder { color: var(--muted); opacity: 1; }

.tail { flex: none; padding: 0 14px 10px; display: flex; flex-direction: column; gap: 6px; }
.composer { position: relative; display: flex; align-items: flex-end; }
textarea:placeholder-shown { direction: inherit; }
.composer:dir(ltr) textarea { padding-right: 50px; }
.composer:dir(rtl) textarea { padding-left: 50px; }
.composer button { position: absolute; inset-inline-end: 5px; inset-block-end: 5px; inline-size: 32px; min-height: 32px; padding: 0; display: grid; place-items: center; border-radius: calc(.9 * var(--r)); }
.bar { display: flex; align-items: center; gap: 10px; min-block-size: 44px; padding-inline-start: 4px; }
.bar .doing { flex: 1; min-inline-size: 0; color: var(--muted); font-size: calc(13.5 * var(--wa-px)); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar button { display: inline-flex; gap: 4px; align-items: center; padding-inline-start: 8px; }
.foot { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-block-size: 24px; font-size: calc(12 * var(--wa-px)); color: var(--muted); padding-inline: 4px; font-variant-numeric: tabular-nums; }
.foot button { flex: none; max-inline-size: 60%; font-size: calc(12 * var(--wa-px)); color: var(--muted); }

@media (max-width: 560px) {
  .frame:not(.inline) .panel { border-end-start-radius: 0; border-end-end-radius: 0; max-height: calc(86dvh - var(--wa-keyboard, 0px)); padding-bottom: env(safe-area-inset-bottom); }
  .frame:not(.inline) .panel.talking { height: 620px; }
  .head, .log, .asking, .answers, .details { padding-inline: max(18px, env(safe-area-inset-left)) max(18px, env(safe-area-inset-right)); }
  .head { padding-inline-end: 8px; }
}
@media (max-width: 560px), (pointer: coarse) {
  button, .button, button.icon, .step summary { min-height: 44px; }
  button.icon { inline-size: 44px; }
  button.link { min-height: 44px; min-inline-size: 44px; }
  .composer textarea { min-block-size: 54px; padding-block: 15px; font-size: calc(16 * var(--wa-px)); }
  .composer:dir(ltr) textarea { padding-right: 58px; }
  .composer:dir(rtl) textarea { padding-left: 58px; }
  .composer button { min-height: 44px; inline-size: 44px; }
  fieldset label { min-height: 44px; }
  textarea, select, input:not([type=file], [type=radio]) { font-size: calc(16 * var(--wa-px)); min-block-size: 46px; }
  .details summary { min-height: 44px; }
  .foot { min-block-size: 44px; }
  .bar { padding-block-start: 8px; }
}
@media (prefers-reduced-motion: no-preference) {
  .picture.started { animation: turn 1s linear infinite; }
  .panel, .pill { animation: rise .16s ease-out; }
  .picture.chevron { transition: rotate .12s; }
}
@keyframes turn { to { rotate: 1turn; } }
@keyframes rise { from { translate: 0 8px; opacity: 0; } }
`;

/**
 * Styles of `looks.js`. The first two rules are filled in by script. Edges for the mouse are outside of the panel, as
 * they would count as something that covers a request.
 */
export const LOOKS_CSS = `
:host {}
.frame {}
:host { display: block; block-size: 560px; max-inline-size: 100%; }
:host([data-aside="top"]) { --wa-t: 16px !important; --wa-b: auto !important; }
.frame.dark {
  --bg: var(--webagent-background, var(--wa-background, #17191e)); --surface: var(--webagent-surface, var(--wa-surface, #20232a));
  --text: var(--webagent-text, var(--wa-text, #e8eaee)); --muted: var(--webagent-muted, var(--wa-muted, #a4acba));
  --line: var(--webagent-border, var(--wa-border, #31353f)); --accent: var(--webagent-accent, var(--wa-accent, #96b2ff));
  --on-accent: var(--webagent-on-accent, var(--wa-on-accent, #10172a)); --good: var(--webagent-good, var(--wa-good, #72cf9d));
  --bad: var(--webagent-bad, var(--wa-bad, #ffb0a6)); --field: var(--wa-field, #7a8393);
  --shadow: 0 0 0 1px var(--line), 0 16px 48px rgb(0 0 0 / .6);
  color-scheme: dark;
}
.inline, .inline .panel { height: 100%; max-height: none; }
.inline .panel { border: 1px solid var(--line); box-shadow: none; }
.inline .window { display: none; }
.inline .head { min-block-size: 52px; }
.details > a { color: var(--accent); font-size: calc(12.5 * var(--wa-px)); }
.greeting p:first-child { font-size: calc(19 * var(--wa-px)); font-weight: 620; letter-spacing: -.015em; line-height: 1.3; margin: 2px 0 6px; }
.title code, .asked code { font: inherit; }
:is(.title, .asked) code::before { content: open-quote; }
:is(.title, .asked) code::after { content: close-quote; }
.suggestions { list-style: none; margin: 16px 0 0; padding: 0; display: flex; flex-direction: column; align-items: flex-start; gap: 8px; }
.suggestions:empty { display: none; }
.suggestions button { font-weight: 400; text-align: start; color: var(--accent); }
.details { flex: 0 1 auto; min-height: 0; max-block-size: 46%; overflow-y: auto; padding: 12px 18px; border-top: 1px solid var(--line); font-size: calc(13 * var(--wa-px)); }
.details summary { padding: 8px 0; font-weight: 560; }
.details summary::before { content: "›"; display: inline-block; inline-size: 14px; }
.details details[open] > summary::before { rotate: 90deg; }
.numbers dd { font-variant-numeric: tabular-nums; }
.sent { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 10px; }
.sent strong { font-size: calc(12 * var(--wa-px)); color: var(--muted); font-weight: 620; }
.sent pre { background: var(--surface); border-radius: 8px; padding: 7px 10px; margin-top: 2px; }
.save { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; padding-top: 6px; }
.allowed { list-style: none; margin: 0; padding: 0; }
.allowed li { display: flex; justify-content: space-between; align-items: baseline; gap: 12px; }
.allowed button { flex: none; }
.pill { display: flex; align-items: center; gap: 9px; max-inline-size: 100%; padding: 8px 16px; min-height: 46px; border-radius: 24px; border: 0; box-shadow: var(--shadow); background: var(--bg); }
.pill span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pill .picture { color: var(--accent); }
.pill.asking { background: var(--accent); color: var(--on-accent); }
.pill.asking .picture { color: inherit; }
.log > details { color: var(--muted); font-size: calc(13 * var(--wa-px)); }
.log > details > summary { text-decoration: underline; text-underline-offset: 2px; }
progress { appearance: none; display: block; inline-size: 100%; block-size: 3px; border: 0; border-radius: 2px; overflow: hidden; color: var(--accent);
  background: color-mix(in srgb, var(--accent) 18%, var(--bg)); }
progress::-webkit-progress-bar { background: none; }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
progress:indeterminate::-moz-progress-bar { background: none; }
progress:indeterminate { background-image: linear-gradient(90deg, transparent, var(--accent), transparent); background-repeat: no-repeat; background-size: 40% 100%; background-position: 50% 0; }
.head > .grip { display: none; margin-inline-start: -10px; touch-action: none; cursor: grab; }
.grip:active { cursor: grabbing; }
.floating .head { cursor: grab; user-select: none; -webkit-user-select: none; touch-action: none; }
.edge { position: absolute; display: none; touch-action: none; }
.floating .edge, .tall .edge:is(.e, .w):not(.n, .s), .docked .edge:is(.e, .w):not(.n, .s) { display: block; }
.edge.n, .edge.s { inset-inline: 4px; block-size: 8px; cursor: ns-resize; }
.edge.e, .edge.w { inset-block: 4px; inline-size: 8px; cursor: ew-resize; }
.edge.n { inset-block-start: -8px; }
.edge.s { inset-block-end: -8px; }
.edge.e { right: -8px; }
.edge.w { left: -8px; }
.edge.n.e, .edge.n.w, .edge.s.e, .edge.s.w { inset-inline: auto; inline-size: 12px; block-size: 12px; }
.edge.n.e, .edge.n.w { inset-block: -12px auto; }
.edge.s.e, .edge.s.w { inset-block: auto -12px; }
.edge.n.e, .edge.s.e { right: -12px; }
.edge.n.w, .edge.s.w { left: -12px; }
.edge.n.w, .edge.s.e { cursor: nwse-resize; }
.edge.n.e, .edge.s.w { cursor: nesw-resize; }
@media (min-width: 561px) {
  :host(:is([data-placement="tall"], [data-placement="docked"])) { --wa-t: 0px !important; --wa-b: 0px !important; }
  .tall .panel, .docked .panel { height: 100dvh; max-height: none; border-radius: 0; }
  .answers { max-block-size: 60vh; }
  .frame:not(.inline) .grip { display: grid; }
  .frame:not(.inline) .grip + .star { display: none; }
}
@media (max-width: 560px) {
  :host([data-aside="top"]:not([data-shown="minimised"])) { --wa-t: 0px !important; --wa-b: auto !important; }
  .frame.acting:not(.inline) .panel.talking { height: 44dvh; }
  .edge, .placing { display: none !important; }
}
@media (forced-colors: active) { .panel, .pill, .bubble, .outcome { border: 1px solid; } }
@media (max-height: 360px) {
  .frame:not(.inline) .panel { max-height: calc(100dvh - var(--wa-keyboard, 0px)); }
  .head { padding-block: 0; }
  .tail { padding-block-end: 2px; gap: 2px; }
  .foot, .foot button.link { min-block-size: 24px; min-height: 24px; }
  .composer textarea { min-block-size: 44px; max-block-size: 44px; padding-block: 10px; }
}
@media (prefers-reduced-motion: no-preference) {
  .log > * { animation: come .2s ease-out; }
  .frame:not(.inline) .panel.talking { transition: height .2s; }
  .running .log > .words:last-child::after { content: ""; display: inline-block; inline-size: 7px; block-size: 1em; margin-inline-start: 3px;
    vertical-align: -2px; border-radius: 2px; background: var(--accent); animation: blink 1s steps(2) infinite; }
  progress:indeterminate { animation: slide 1.4s ease-in-out infinite; }
  progress::-webkit-progress-value { transition: inline-size .3s; }
}
/* Texts do not fade in, as the start of Python may hold up an animation. */
@keyframes come { from { translate: 0 8px; } }
@keyframes blink { 50% { opacity: 0; } }
@keyframes slide { from { background-position: -70% 0; } to { background-position: 170% 0; } }
`;
