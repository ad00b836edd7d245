/**
 * `global.js`: loaded before the site's own scripts, so that site code written as
 * `global.search = …` works in a browser, which has no `global`.
 */
(globalThis as Record<string, unknown>)["global"] ??= globalThis;
