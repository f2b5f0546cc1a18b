// An agent as somebody writes one who has read AG-UI and nothing else: it asks without a schema, and under any reason.
//
//   node agent.mjs EFFECTS     the line "ready URL" says where it is
//
// "send NAME" asks before a mail goes out, "when NAME" asks for the day of one.

import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const [file] = process.argv.slice(2);
const asked = new Map();

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let body = "";
  for await (const chunk of request) body += chunk;
  const { threadId, runId, messages, resume } = JSON.parse(body);
  const [answer] = resume ?? [];
  // It was asked before a restart. Behind a 200 nobody would learn that.
  if (answer && !asked.has(answer.interruptId)) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  const say = (delta) => {
    const messageId = crypto.randomUUID();
    send({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
    send({ type: "TEXT_MESSAGE_END", messageId });
  };
  send({ type: "RUN_STARTED", threadId, runId });
  let outcome;
  const last = messages.at(-1);
  const [, word, to] = /^(send|when) (.+)$/s.exec(last?.content) ?? [];
  if (answer) {
    const { word, to } = asked.get(answer.interruptId);
    const { payload } = answer;
    const day = word === "when" && typeof payload === "string" ? payload : undefined;
    const sends = answer.status === "resolved" && (word === "when" ? day !== undefined : payload?.approved === true);
    if (sends) appendFileSync(file, JSON.stringify({ tool: "send", args: { to, ...(day && { day }) } }) + "\n");
    say(sends ? `Sent to ${to}` : `Not sent to ${to}`);
  }
  if (answer && (last?.role !== "user" || last.id === asked.get(answer.interruptId).message)) {
    // Nobody has written since it asked.
  } else if (!word) {
    say('Write "send NAME" or "when NAME".');
  } else {
    const id = crypto.randomUUID();
    asked.set(id, { word, to, message: last.id });
    outcome = { type: "interrupt", interrupts: [{ id, reason: "ask_human", message: word === "when" ? `When shall I write to ${to}?` : `Send to ${to}?` }] };
  }
  send({ type: "RUN_FINISHED", threadId, runId, ...(outcome && { outcome }) });
  response.end();
});
process.once("SIGTERM", () => process.exit());
server.listen(0, "127.0.0.1", () => console.log(`ready http://127.0.0.1:${server.address().port}/`));
