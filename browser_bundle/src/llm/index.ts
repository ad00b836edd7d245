/** What Python needs of the page to speak to models. */
export { createModelBridge, type ModelBridge } from "./builtin.ts";
export { createFetchBridge, type FetchBridge } from "./fetch.ts";
