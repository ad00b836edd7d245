/** Takes the owner's token: out of the address, or from a person who pastes it. */
import { h } from "../ui/elements.ts";
import { onSubmit } from "../panel/person_requests.ts";

/** The token of the address, which has none afterwards; empty when there was none. */
export function tokenOfAddress(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return token.trim();
}

/** A token in what somebody pasted: itself, or an address that ends in it. */
export function tokenIn(text: string): string {
  const [, token = text] = /[#&?]token=([^&\s]+)/.exec(text) ?? [];
  return token.trim();
}

/** Asks for the token; why there is no way in without it stands above. */
export function door(why: string, enter: (token: string) => void): HTMLElement {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-about", required: true });
  const form = h(
    "form",
    { class: "door-form" },
    h("label", { for: "token" }, "Address or token"),
    h("div", { class: "row" }, field, h("button", { type: "submit", class: "primary" }, "Open")),
  );
  onSubmit(form, () => {
    const token = tokenIn(field.value);
    if (token) enter(token);
  });
  return h(
    "main",
    { class: "door" },
    h("h1", {}, "webagent inspector"),
    why && h("p", { class: "notice warn", role: "alert" }, why),
    h(
      "p",
      { id: "token-about" },
      "Only the person who runs the server may look inside. Run ",
      h("code", {}, "webagent-dev token"),
      " in the site’s folder: it prints an address to open, with a token that can also be pasted here. The token is kept in this tab’s memory alone, so a reload asks again.",
    ),
    form,
  );
}
