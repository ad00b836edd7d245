// Messages to the shop. This demonstration has no server: a message is checked, gets a
// reference, and is not sent. Put your own request into send().

import { TOPICS } from "../data/shop.js";

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const SHORTEST_MESSAGE = 10;

export function send(message) {
  const [fault] = Object.values(faultsOf(message));
  if (fault) throw new Error(fault);
  return {
    reference: `CW-${Date.now().toString(36).slice(-6).toUpperCase()}`,
    name: text(message.name),
    email: text(message.email),
    topic: message.topic,
    topicLabel: subjectOf(message).label,
    newsletter: message.newsletter === true,
    answerWithin: "two working days",
  };
}

/** The mistakes in a message, by field; empty if it can be sent. */
export function faultsOf(message) {
  const faults = {};
  const address = text(message.email);
  if (!text(message.name)) faults.name = "`name` is empty: say who is writing";
  if (!EMAIL.test(address)) faults.email = `\`email\` must be an address like you@example.org, not \`${address}\``;
  if (!subjectOf(message)) {
    faults.topic = `unknown topic \`${message.topic}\`: use one of ${TOPICS.map(({ id }) => `\`${id}\``).join(", ")}`;
  }
  if (text(message.message).length < SHORTEST_MESSAGE) {
    faults.message = `\`message\` needs at least ${SHORTEST_MESSAGE} characters`;
  }
  return faults;
}

const subjectOf = ({ topic }) => TOPICS.find(({ id }) => id === topic);

const text = (value) => (typeof value === "string" ? value.trim() : "");
