/**
 * Styles of the panel. A site can set the custom properties `--webagent-…`, which reach into a shadow
 * root. Nothing else does: an important rule of a shadow root overrides all rules of the page for its
 * host.
 */

export const HOST_CSS = `
:host {
  all: initial !important; display: block !important; position: fixed !important;
  inset: auto 16px calc(16px + var(--keyboard, 0px)) auto !important; z-index: 2147483646 !important;
  inline-size: min(var(--webagent-width, 400px), calc(100vw - 32px)) !important;
  margin: 0 !important; padding: 0 !important; border: 0 !important; overflow: visible !important;
  background: none !important; pointer-events: auto !important; visibility: visible !important;
}
:host(:dir(rtl)) { inset: auto auto calc(16px + var(--keyboard, 0px)) 16px !important; }
:host([data-shown="minimised"]) { inline-size: auto !important; max-inline-size: min(320px, calc(100vw - 32px)) !important; }
:host([data-shown="closed"]) { display: none !important; }
@media (max-width: 560px) {
  :host(:not([data-shown="minimised"])), :host(:dir(rtl):not([data-shown="minimised"])) {
    inset: auto 0 var(--keyboard, 0px) 0 !important; inline-size: 100vw !important; }
}
@media print { :host { display: none !important; } }
`;

export const PANEL_CSS = `
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.frame {
  --bg: var(--webagent-background, #fff); --surface: var(--webagent-surface, #f5f6f8);
  --text: var(--webagent-text, #1c2127); --muted: var(--webagent-muted, #59616f);
  --line: var(--webagent-border, #e1e4e9); --accent: var(--webagent-accent, #3157cc);
  --on-accent: var(--webagent-on-accent, #fff); --good: var(--webagent-good, #19754a);
  --bad: var(--webagent-bad, #b3261e); --field: #868e9c;
  --shadow: 0 1px 2px rgb(20 24 32 / .08), 0 12px 40px rgb(20 24 32 / .18);
  color-scheme: light; color: var(--text); text-align: start; line-height: 1.5; font-size: 14.5px;
  font-family: var(--webagent-font, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  -webkit-text-size-adjust: 100%; -webkit-font-smoothing: antialiased;
}
.frame.dark {
  --bg: var(--webagent-background, #17191e); --surface: var(--webagent-surface, #20232a);
  --text: var(--webagent-text, #e8eaee); --muted: var(--webagent-muted, #a4acba);
  --line: var(--webagent-border, #31353f); --accent: var(--webagent-accent, #96b2ff);
  --on-accent: var(--webagent-on-accent, #10172a); --good: var(--webagent-good, #72cf9d);
  --bad: var(--webagent-bad, #ffb0a6); --field: #7a8393;
  --shadow: 0 0 0 1px rgb(255 255 255 / .07), 0 16px 48px rgb(0 0 0 / .55);
  color-scheme: dark;
}

.panel { display: flex; flex-direction: column; overflow: hidden; background: var(--bg);
  border-radius: var(--webagent-radius, 16px); box-shadow: var(--shadow);
  max-height: calc(100vh - 32px); max-height: calc(100dvh - 32px - var(--keyboard, 0px)); }
.panel.talking { height: 660px; }
.head { display: flex; align-items: center; gap: 2px; padding: 8px 8px 8px 18px; flex: none; }
:dir(rtl) > .head { padding: 8px 18px 8px 8px; }
.head > .star { inline-size: 16px; block-size: 16px; color: var(--accent); stroke: none; margin-inline-end: 6px; }
h2 { flex: 1; margin: 0; font-size: 14.5px; font-weight: 620; letter-spacing: -.005em; }
h3 { margin: 0; font-size: 12.5px; font-weight: 620; color: var(--muted); }
h4 { margin: 10px 0 2px; font-size: 12px; font-weight: 620; color: var(--muted); }
p { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.quiet { color: var(--muted); font-size: 13px; }

button, .button { font: inherit; font-size: 14px; font-weight: 560; color: var(--text); cursor: pointer;
  background: var(--bg); border: 1px solid var(--line); border-radius: 10px; padding: 7px 13px; min-height: 36px;
  touch-action: manipulation; }
button:hover, .button:hover { background: var(--surface); }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover, .button.primary:hover { background: color-mix(in srgb, var(--accent) 90%, var(--text)); }
button.icon { display: grid; place-items: center; inline-size: 36px; padding: 0; border-color: transparent; background: none; color: var(--muted); }
button.icon:hover { background: var(--surface); color: var(--text); }
button.link { border: 0; font-weight: 400; background: none; padding: 0; min-height: 24px; color: var(--accent); font-size: 12.5px; text-decoration: underline; text-underline-offset: 2px; }
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
.greeting p:first-child { font-size: 19px; font-weight: 620; letter-spacing: -.015em; line-height: 1.3; margin: 2px 0 6px; }
.bubble { align-self: flex-end; max-inline-size: 86%; padding: 8px 13px; border-radius: 14px; border-end-end-radius: 5px;
  background: color-mix(in srgb, var(--accent) 13%, var(--bg)); }
.note { color: var(--muted); font-size: 13px; }
.note.went { align-self: center; padding: 0 8px; text-align: center; }
.note.bad { color: var(--bad); }
.log .plan { border-inline-start: 2px solid color-mix(in srgb, var(--accent) 45%, var(--bg)); padding-block: 1px; padding-inline-start: 13px; }
.plan p { margin-top: 2px; }
.plan ol { margin: 6px 0 0; padding: 0 0 0 19px; color: var(--muted); font-size: 13.5px; }
.plan ol:dir(rtl) { padding: 0 19px 0 0; }
.plan li { padding: 1px 0; overflow-wrap: anywhere; }

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
.what .title { overflow-wrap: anywhere; }
.pictures { display: flex; flex-wrap: wrap; gap: 8px; margin-inline-start: 27px; }
.step img { max-inline-size: 100%; max-block-size: 240px; border: 1px solid var(--line); border-radius: 8px; }
code, pre { font-family: var(--webagent-mono, ui-monospace, "SF Mono", Menlo, Consolas, monospace); font-size: 12px; }
p code, .plan li code, .title code { font-size: .92em; }
.call { color: var(--muted); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.call:empty { display: none; }
.time { direction: ltr; font-size: 12px; margin-top: 2px; font-variant-numeric: tabular-nums; }
.step .body { margin: 2px 0 8px 27px; }
.step .body:dir(rtl) { margin: 2px 27px 8px 0; }
.step .body h4:first-child { margin-top: 2px; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; }
.body > pre, .body > div > pre { background: var(--surface); border-radius: 8px; padding: 7px 10px; }
dl { margin: 0; display: grid; grid-template-columns: minmax(0, auto) minmax(0, 1fr); gap: 3px 12px; }
dt { color: var(--muted); font-size: 13px; overflow-wrap: anywhere; max-inline-size: 130px; }
dd { margin: 0; min-inline-size: 0; font-size: 13px; }
dd pre { line-height: 1.6; }

.outcome { display: flex; gap: 10px; padding: 11px 13px; border-radius: 12px; background: color-mix(in srgb, var(--good) 9%, var(--bg)); }
.outcome .picture { color: var(--good); margin-top: 1px; }
.outcome.bad { background: color-mix(in srgb, var(--bad) 9%, var(--bg)); }
.outcome.bad .picture { color: var(--bad); }
.outcome.ended { background: var(--surface); }
.outcome.ended .picture { color: var(--muted); }
.outcome .quiet { margin-top: 4px; }
.outcome summary { color: var(--muted); font-size: 13px; text-decoration: underline; text-underline-offset: 2px; padding-top: 4px; }
.outcome .row { margin-top: 9px; }
.outcome > div { min-inline-size: 0; }

.requests:empty { display: none; }
.talking .log { flex-basis: 0; }
.requests { flex: 0 1 auto; min-block-size: 0; display: flex; border-top: 1px solid var(--line); background: var(--surface); }
.request { flex: 1; min-inline-size: 0; min-block-size: 0; display: flex; flex-direction: column; }
.asking, .answers { padding: 13px 18px 0; display: flex; flex-direction: column; gap: 9px; }
.asking { flex: 0 1 auto; min-block-size: 60px; overflow-y: auto; overscroll-behavior: contain; padding-bottom: 10px; }
.asking > * { flex: none; }
.plan .asking { min-block-size: 0; padding-bottom: 5px; }
.answers { flex: none; padding-block: 3px 16px; max-block-size: 50vh; overflow-y: auto; }
.request h3 { color: var(--accent); }
.request .asked { font-weight: 560; line-height: 1.4; }
.row { display: flex; flex-wrap: wrap; gap: 8px; }
.request form { display: flex; flex-direction: column; gap: 7px; }
.tags { display: flex; flex-wrap: wrap; gap: 8px; align-items: baseline; font-size: 13px; color: var(--muted); }
.tags code { color: var(--text); font-size: 12.5px; overflow-wrap: anywhere; }
.severe { color: var(--bad); font-weight: 560; font-size: 13px; }
.choices, .fields { display: flex; flex-direction: column; gap: 6px; }
.choice { text-align: start; overflow-wrap: anywhere; }
.choice .quiet, fieldset .quiet, .field .quiet { display: block; }
fieldset { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 0; padding: 0; border: 0; }
legend, .field > span:first-child { padding: 0; font-weight: 560; }
fieldset label { display: flex; gap: 7px; align-items: baseline; min-height: 28px; }
.given { padding: 9px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--bg); gap: 7px 12px; }
.given .thing { margin: 0; font-weight: 600; }
.given code, .given pre { font-size: 12.5px; }
.origin { display: block; color: var(--muted); font-size: 12px; }
.size, .hint { color: var(--muted); font-size: 12.5px; }
.sized { display: flex; flex-direction: column; gap: 3px; }
.long { max-block-size: 190px; overflow-y: auto; border: 1px solid var(--field); border-radius: 8px; padding: 6px 9px; }
.waiting { block-size: 4000px; }
.mark { color: var(--bad); background: color-mix(in srgb, var(--bad) 12%, var(--bg)); border-radius: 4px; padding: 0 2px;
  font-family: var(--webagent-mono, ui-monospace, monospace); font-size: .94em; unicode-bidi: isolate; }
.odd code { font-size: .94em; }
.odd { margin: 0; padding: 0; list-style: none; color: var(--bad); font-size: 13px; overflow-wrap: anywhere; }
ol.members, ol.calls { margin: 0; padding-inline-start: 22px; display: flex; flex-direction: column; gap: 5px; }
ol.members::marker, ol.calls > ::marker { color: var(--muted); font-size: 12px; }
.grants { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 6px; }
.grant { inline-size: 100%; text-align: start; font-weight: 400; overflow-wrap: anywhere; }
.grant::first-letter { text-transform: uppercase; }
.allowed { list-style: none; margin: 0; padding: 0; }
.allowed li { display: flex; justify-content: space-between; align-items: baseline; gap: 12px; overflow-wrap: anywhere; }
.allowed button { flex: none; }

label { font-size: 13px; color: var(--muted); }
textarea, select, input:not([type=file], [type=radio]) { font: inherit; font-size: 15px; line-height: 1.45; color: var(--text); background: var(--bg); inline-size: 100%;
  border: 1px solid var(--field); border-radius: 12px; padding: 9px 12px; margin: 0; outline: none; resize: none;
  field-sizing: content; min-block-size: 42px; max-block-size: 30vh; }
textarea:focus, select:focus, input:focus { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
::placeholder { color: var(--muted); opacity: 1; }

.tail { flex: none; padding: 0 14px 10px; display: flex; flex-direction: column; gap: 6px; }
.composer { position: relative; display: flex; align-items: flex-end; }
.composer textarea { padding-inline-end: 50px; }
.composer button { position: absolute; inset-inline-end: 5px; inset-block-end: 5px; inline-size: 32px; min-height: 32px; padding: 0; display: grid; place-items: center; border-radius: 9px; }
.bar { display: flex; align-items: center; gap: 10px; min-block-size: 44px; padding-inline-start: 4px; }
.bar .doing { flex: 1; min-inline-size: 0; color: var(--muted); font-size: 13.5px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar button { display: inline-flex; gap: 4px; align-items: center; padding-inline-start: 8px; }
.foot { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-block-size: 24px; font-size: 12px; color: var(--muted); padding-inline: 4px; font-variant-numeric: tabular-nums; }
.foot button { font-size: 12px; color: var(--muted); }
.details { flex: 0 1 auto; min-height: 0; max-block-size: 46%; overflow-y: auto; padding: 12px 18px; border-top: 1px solid var(--line); font-size: 13px; }
.details summary { padding: 8px 0; font-weight: 560; }
.details summary::before { content: "›"; display: inline-block; inline-size: 14px; }
.details details[open] > summary::before { rotate: 90deg; }
.numbers dd { font-variant-numeric: tabular-nums; }
.sent { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 10px; }
.sent strong { font-size: 12px; color: var(--muted); font-weight: 620; }
.sent pre { background: var(--surface); border-radius: 8px; padding: 7px 10px; margin-top: 2px; }
.save { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; padding-top: 6px; }

.pill { display: flex; align-items: center; gap: 9px; max-inline-size: 100%; padding: 8px 16px; min-height: 46px; border-radius: 24px; border: 0; box-shadow: var(--shadow); background: var(--bg); }
.pill span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pill .picture { color: var(--accent); }
.pill.asking { background: var(--accent); color: var(--on-accent); }
.pill.asking .picture { color: inherit; }

@media (max-width: 560px) {
  .panel { border-end-start-radius: 0; border-end-end-radius: 0; max-height: calc(86dvh - var(--keyboard, 0px)); padding-bottom: env(safe-area-inset-bottom); }
  .panel.talking { height: 620px; }
  .head, .log, .asking, .answers, .details { padding-inline: max(18px, env(safe-area-inset-left)) max(18px, env(safe-area-inset-right)); }
  .head { padding-inline-end: 8px; }
}
@media (max-width: 560px), (pointer: coarse) {
  button, .button, button.icon, .step summary { min-height: 44px; }
  button.icon { inline-size: 44px; }
  button.link { min-height: 44px; min-inline-size: 44px; }
  .composer textarea { min-block-size: 54px; padding-block: 15px; padding-inline-end: 58px; font-size: 16px; }
  .composer button { min-height: 44px; inline-size: 44px; }
  fieldset label { min-height: 44px; }
  textarea, select, input:not([type=file], [type=radio]) { font-size: 16px; min-block-size: 46px; }
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
@media (forced-colors: active) { .panel, .pill, .bubble, .outcome { border: 1px solid; } }
`;
