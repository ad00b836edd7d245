/**
 * `global.js`: loaded before the site's own scripts, for sites that say `global.search = …`: a
 * browser has no `global`. Elsewhere such a site breaks, so our advice is `globalThis.search = …`.
 */
(globalThis as Record<string, unknown>)["global"] ??= globalThis;
