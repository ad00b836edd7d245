/** How the overlay looks, whatever the site looks like. */
export const OVERLAY_CSS = `
:host { all: initial; position: fixed; inset: 0; z-index: 2147483647; display: grid;
  grid-template-columns: minmax(0, 1fr); justify-items: center; align-items: start; overflow: auto; overscroll-behavior: contain;
  background: rgb(12 14 20 / .62); padding: clamp(12px, 6vh, 64px) 12px; box-sizing: border-box;
  --card: #14161d; --text: #e7e9f0; --dim: #a9afc0; --edge: #262a36; --code: #0c0e14; --button: #2a2e3b;
  --over: #363b4b; --link: #8ab4ff; --help: #b7e3b0; --red: #ff8f8f; --bar: #ff6b6b; color-scheme: dark; }
@media (prefers-color-scheme: light) { :host { background: rgb(60 64 76 / .5);
  --card: #fff; --text: #181b24; --dim: #565d70; --edge: #e3e5ec; --code: #f3f4f8; --button: #e8eaf1;
  --over: #d9dce7; --link: #1650b8; --help: #1d6a2f; --red: #b3261e; --bar: #d93025; color-scheme: light; } }
.card { box-sizing: border-box; width: min(860px, 100%); background: var(--card); color: var(--text);
  border-radius: 12px; border-top: 5px solid var(--bar); box-shadow: 0 24px 80px rgb(0 0 0 / .5);
  font: 15px/1.5 ui-sans-serif, system-ui, sans-serif; outline: none; }
header { display: flex; gap: 16px; align-items: flex-start; padding: 20px 24px 4px; }
h1 { font-size: 18px; line-height: 1.3; margin: 0; flex: 1; overflow-wrap: anywhere; }
.sub { color: var(--dim); margin: 0; padding: 0 24px 12px; }
.said { margin: 0; padding: 0 24px 14px; color: var(--red); overflow-wrap: anywhere; }
.said:empty { display: none; }
button { font: inherit; color: inherit; border: 0; cursor: pointer; }
.close { flex: none; font-size: 13px; background: var(--button); border-radius: 7px; padding: 5px 11px; }
.close:hover { background: var(--over); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.card:focus-visible { outline: none; }
ol { list-style: none; margin: 0; padding: 0; }
li { padding: 16px 24px; border-top: 1px solid var(--edge); }
.place, .rule, pre, code { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.place { color: var(--link); background: none; padding: 0; text-align: start; overflow-wrap: anywhere; }
button.place { text-decoration: underline; text-underline-offset: 3px; text-decoration-thickness: 1px; }
button.place:hover { text-decoration-thickness: 2px; }
.rule { color: var(--dim); float: right; margin-inline-start: 12px; }
.message { margin: 4px 0 0; font-weight: 600; overflow-wrap: anywhere; }
.help { margin: 8px 0 0; color: var(--help); overflow-wrap: anywhere; }
pre { margin: 10px 0 0; padding: 10px 12px; background: var(--code); border-radius: 8px; overflow-x: auto;
  tab-size: 1; }
.caret { color: var(--red); }
.number { color: var(--dim); user-select: none; }
footer { padding: 12px 24px 16px; border-top: 1px solid var(--edge); color: var(--dim); font-size: 13px; }
@media (max-width: 480px) { header, li, footer { padding-inline: 16px; } .sub, .said { padding-inline: 16px; } }
@media (prefers-reduced-motion: no-preference) { .card { animation: in .12s ease-out; } }
@keyframes in { from { transform: translateY(-6px); opacity: 0; } }
`;
