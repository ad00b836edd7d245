// Messages to the shop. There is no server behind this demonstration: a message is
// checked, gets a reference, and goes no further. Put your own request into send().

import { TOPICS } from "../data/shop.js";

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const SHORTEST_MESSAGE = 10;

export function send({ name, email, topic, message, newsletter }) {
  const sender = text(name);
  const address = text(email);
  const body = text(message);
  if (!sender) throw new Error("`name` is empty: say who is writing");
  if (!EMAIL.test(address)) throw new Error(`\`email\` must be an address like you@example.org, not \`${address}\``);
  const subject = TOPICS.find(({ id }) => id === topic);
  if (!subject) {
    throw new Error(`unknown topic \`${topic}\`: use one of ${TOPICS.map(({ id }) => `\`${id}\``).join(", ")}`);
  }
  if (body.length < SHORTEST_MESSAGE) {
    throw new Error(`\`message\` needs at least ${SHORTEST_MESSAGE} characters`);
  }
  return {
    reference: `CW-${Date.now().toString(36).slice(-6).toUpperCase()}`,
    name: sender,
    email: address,
    topic,
    topicLabel: subject.label,
    newsletter: newsletter === true,
    answerWithin: "two working days",
  };
}

const text = (value) => (typeof value === "string" ? value.trim() : "");
