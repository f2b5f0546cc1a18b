// CopilotKit's AGUIMock behind serve.mjs: it plays streams that are made beforehand, so all that depends on the input is
// added as a fixture for this one request. Its runId is its own, and so is its threadId.

import { AGUIMock } from "@copilotkit/aimock";
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { asked, command, effect, numbers, serve } from "../serve.mjs";

const APPROVAL = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };

/** The mails that threads wait to send, and the messages that said so, by the ids of the interrupts. */
const waiting = new Map();

serve((input, _signal, response) => {
  const mock = new AGUIMock();
  const { events, ms } = play(input);
  mock.onPredicate(() => true, events, ms);
  // The request again: its body has been read.
  const again = Object.assign(Readable.from([Buffer.from(JSON.stringify(input))]), { method: "POST", url: "/", headers: {} });
  return mock.handleRequest(again, response, "/");
});

function play(input) {
  const run = { threadId: randomUUID(), runId: randomUUID() };
  const whole = (...events) => [{ type: "RUN_STARTED", ...run }, ...events.flat(), { type: "RUN_FINISHED", ...run }];
  const message = input.messages.findLast(({ role }) => role === "user")?.id;
  const turnsAway = input.resume?.every(({ interruptId, status }) => status === "cancelled" && waiting.get(interruptId)?.message !== message);
  if (input.resume?.length && !turnsAway) return { events: whole(text(input.resume.map(answered))) };
  const told = command(asked(input.messages));
  switch (told.word) {
    case "slow":
      return { events: whole(text(numbers(told.count))), ms: told.ms };
    case "send":
    case "both": {
      const interrupts = told.to.map((to) => {
        const id = randomUUID();
        waiting.set(id, { to, message });
        return { id, reason: "confirmation", message: `Send to ${to}?`, responseSchema: APPROVAL, expiresAt: told.expiresAt };
      });
      return { events: whole().with(-1, { type: "RUN_FINISHED", ...run, outcome: { type: "interrupt", interrupts } }) };
    }
    case "fail":
      return { events: [{ type: "RUN_STARTED", ...run }, { type: "RUN_ERROR", message: told.text, code: "on_purpose" }] };
    default:
      return { events: whole(text([told.text])) };
  }
}

/** Carries out what was decided, each time that it is told to: who repeats an answer repeats what it does. */
function answered({ interruptId, status, payload }) {
  const to = waiting.get(interruptId)?.to;
  if (to === undefined) return `Nobody asked ${interruptId}. `;
  if (status !== "resolved" || !payload?.approved) return `Not sent to ${to}. `;
  effect("send", { to });
  return `Sent to ${to}. `;
}

function text(deltas) {
  const messageId = randomUUID();
  return [
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
    { type: "TEXT_MESSAGE_END", messageId },
  ];
}
