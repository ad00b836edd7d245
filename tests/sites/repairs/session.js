import { text } from "./checks.js";

const KEY = "tallow-street.session";
const listeners = [];
let staff = [];

/** Those who work here. A server would keep them for itself; this is a demonstration. */
export async function people() {
  staff = await fetch("/data/staff.json").then((answer) => answer.json());
  notify();
}

export function visitor() {
  const email = localStorage.getItem(KEY);
  return staff.find((person) => person.email === email) ?? null;
}

export async function signIn(email, password) {
  const written = text(email, "email", 254).toLowerCase();
  const person = staff.find((one) => one.email === written);
  if (!person || person.password !== password) throw new Error("This e-mail address and password do not belong together");
  localStorage.setItem(KEY, person.email);
  notify();
  return person;
}

export function signOut() {
  localStorage.removeItem(KEY);
  notify();
}

export function whenVisitorChanges(listener) {
  listeners.push(listener);
}

function notify() {
  for (const listener of listeners) listener(visitor());
}

/** Shows the form to sign in, in place of a page. */
export function askToSignIn(view) {
  document.title = "Sign in – Tallow Street Repairs";
  view.innerHTML = `
    <h1>Sign in</h1>
    <form>
      <label>E-mail <input type="email" name="email" autocomplete="username" required></label>
      <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
      <button>Sign in</button>
      <p role="alert"></p>
    </form>`;
  view.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const { email, password } = event.target.elements;
    globalThis.signIn(email.value, password.value).catch((error) => {
      view.querySelector("[role=alert]").textContent = error.message;
    });
  });
}
