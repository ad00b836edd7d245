/** Loads the agent into pages of a framework that writes its HTML itself. */
declare module "virtual:webagent" {}
