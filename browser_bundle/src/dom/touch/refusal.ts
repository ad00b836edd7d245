/** Why something is not done: no such thing, or the page does not let a person do it. */
import { WebagentError } from "../../base/errors.ts";

/** There is no such thing, or it takes no such value. */
export function wrong(message: string, help?: string, path?: string): WebagentError {
  return new WebagentError({
    kind: "invalid_arguments",
    message,
    ...(help ? { help } : {}),
    ...(path ? { path } : {}),
  });
}

/** The page does not let a person do it. */
export function denied(message: string, help?: string, path?: string): WebagentError {
  return new WebagentError({ kind: "denied", message, ...(help ? { help } : {}), ...(path ? { path } : {}) });
}
