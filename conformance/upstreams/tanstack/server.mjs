// TanStack AI's chat() as an application serves it, with a tool that needs approval, and aimock for the model. Its runId
// is the provider's, and of what it asked it knows nothing but what the client's messages say.

import { LLMock } from "@copilotkit/aimock";
import { chat, chatParamsFromRequestBody, toolDefinition, toServerSentEventsResponse } from "@tanstack/ai";
import { createOpenaiChatCompletions } from "@tanstack/ai-openai";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { asked, command, effect, numbers, serve } from "../serve.mjs";

const model = new LLMock({ port: 0 });
await model.start();

const send = toolDefinition({
  name: "send",
  description: "Sends a mail.",
  inputSchema: z.object({ to: z.string() }),
  outputSchema: z.object({ sent: z.string() }),
  needsApproval: true,
}).server(async ({ to }) => {
  effect("send", { to });
  return { sent: to };
});

serve(async (input, signal, response) => {
  const gone = new AbortController();
  signal.addEventListener("abort", () => gone.abort());
  const params = await chatParamsFromRequestBody(input);
  teach(asked(input.messages));
  const stream = chat({
    adapter: createOpenaiChatCompletions("gpt-4o", "no key", { baseURL: `${model.url}/v1` }),
    messages: params.messages,
    tools: [send],
    threadId: params.threadId,
    runId: params.runId,
    parentRunId: params.parentRunId,
    resume: params.resume,
    abortController: gone,
  });
  const answer = toServerSentEventsResponse(stream, { abortController: gone });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body) response.write(chunk);
}, { close: () => model.stop() });

const taught = new Set();

/** Has the model answer a text as it should. */
function teach(text) {
  if (taught.has(text)) return;
  taught.add(text);
  const told = command(text);
  const says = (messages) => messages.findLast((message) => message.role === "user")?.content === text;
  const results = (messages) => messages.slice(messages.findLastIndex((message) => message.role === "user")).filter((message) => message.role === "tool");
  const when = (holds) => ({ predicate: ({ messages }) => says(messages) && holds(results(messages)) });
  switch (told.word) {
    case "slow":
      return model.on(when(() => true), { content: numbers(told.count).join("") }, { latency: told.ms, chunkSize: 3 });
    case "send":
    case "both":
      model.on(when((done) => done.length === 0), () => ({
        toolCalls: told.to.map((to) => ({ id: randomUUID(), name: "send", arguments: JSON.stringify({ to }) })),
      }));
      return model.on(when((done) => done.length > 0), ({ messages }) => ({ content: results(messages).map(({ content }) => sentence(content)).join(" ") }));
    case "fail":
      return model.on(when(() => true), { error: { message: told.text, type: "server_error" }, status: 400 });
    default:
      return model.on(when(() => true), { content: told.text });
  }
}

function sentence(content) {
  const sent = /"sent":"([^"]*)"/.exec(content);
  return sent ? `Sent to ${sent[1]}.` : "Not sent.";
}
