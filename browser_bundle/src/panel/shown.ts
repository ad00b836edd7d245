/** Where in sessionStorage it stands whether the panel is there: `open` or `minimised`. */
export const SHOWN_KEY = "webagent.panel";
