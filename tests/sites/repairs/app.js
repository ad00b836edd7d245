import { navigate, start } from "./router.js";
import { people, signIn, signOut, visitor, whenVisitorChanges } from "./session.js";
import { isoDate } from "./checks.js";
import { home, OPENING } from "./views/home.js";
import { parts } from "./views/parts.js";
import { prices } from "./views/prices.js";
import { repair } from "./views/repair.js";
import { repairs } from "./views/repairs.js";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const PICKUP_DAYS = ["Tuesday", "Friday"];

globalThis.getOpeningHours = async () => OPENING;

/** The next day on which repairs are handed out, after a day. */
globalThis.nextPickup = async (after) => {
  const day = isoDate(after, "after");
  do day.setUTCDate(day.getUTCDate() + 1);
  while (!PICKUP_DAYS.includes(WEEKDAYS[day.getUTCDay()]));
  return { date: day.toISOString().slice(0, 10), weekday: WEEKDAYS[day.getUTCDay()] };
};

globalThis.signIn = async (email, password) => {
  const person = await signIn(email, password);
  await navigate(location.pathname);
  return { name: person.name, role: person.role };
};

// What only those who work here need comes and goes with them.
whenVisitorChanges((person) => {
  document.getElementById("who").textContent = person ? `${person.name}, ${person.role}` : "";
  if (!person) {
    delete globalThis.getProfile;
    delete globalThis.signOut;
    return;
  }
  globalThis.getProfile = async () => {
    const { email, name, role, since } = visitor();
    return { email, name, role, since };
  };
  globalThis.signOut = async () => {
    signOut();
    await navigate("/");
    return { signedOut: true };
  };
});

await people();
start([
  [/^\/(?:index\.html)?$/, home],
  [/^\/prices$/, prices],
  [/^\/parts$/, parts],
  [/^\/repairs$/, repairs],
  [/^\/repairs\/(\d+)$/, repair],
]);
