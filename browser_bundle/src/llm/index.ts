/** What Python needs of the page to speak to models. */
export { createModelBridge, type ModelBridge } from "./builtin_model.ts";
export { createFetchBridge, type FetchBridge } from "./fetch_bridge.ts";
