// Serves a graph by AG-UI, with a checkpointer of this process: LangGraph's server has no part in it.

import { Command } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createServer } from "node:http";
import path from "node:path";
import { builder } from "./graph.mjs"; // your StateGraph, before it is compiled

const { PORT = "8000", CHECKPOINTS = path.join(import.meta.dirname, "checkpoints.db") } = process.env;
const graph = builder.compile({ checkpointer: SqliteSaver.fromConnString(CHECKPOINTS) });

/** What the graph is given: each answer by its interrupt's id, or the messages of users that it does not have. */
function given({ resume = [], forwardedProps, messages }, { values, tasks, next }) {
  const answer = ({ interruptId, status, payload }) => [interruptId, status === "cancelled" ? { __agui_cancelled__: true, interrupt_id: interruptId } : payload];
  const answers = forwardedProps?.command?.resume ?? (resume.length > 0 && Object.fromEntries(resume.map(answer)));
  if (answers) {
    const waits = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
    if (Object.keys(answers).every((id) => waits.includes(id))) return new Command({ resume: answers });
    if (waits.length === 0 && next.length > 0) return null; // it has the answer, and its process died behind it: it goes on
    throw Object.assign(new Error("The graph does not wait for this answer."), { code: "UNKNOWN_INTERRUPT" });
  }
  const had = new Set(values.messages?.map(({ id }) => id));
  return { messages: messages.filter(({ role, id }) => role === "user" && !had.has(id)).map(({ id, content }) => ({ role: "user", id, content })) };
}

/** An interrupt as AG-UI has it. aguiws reads what it was given in its metadata. */
const asked = ({ id, value }) => ({ id, reason: "langgraph:interrupt", message: typeof value === "string" ? value : undefined, responseSchema: value?.responseSchema, metadata: { langgraph: { raw: value } } });

/** The events of a run. A text is told while it is written; a call or a result is told when its node is done. */
async function* events(input, signal) {
  const run = { threadId: input.threadId, runId: input.runId };
  const config = { configurable: { thread_id: input.threadId } };
  const open = new Set();
  yield { type: "RUN_STARTED", ...run };
  for await (const [mode, told] of await graph.stream(given(input, await graph.getState(config)), { ...config, signal, streamMode: ["messages", "updates"] })) {
    if (mode === "messages") {
      const [{ type, id: messageId, text }] = told;
      if (type !== "ai" || !text) continue;
      if (!open.has(messageId)) yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
      open.add(messageId);
      yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text };
    } else for (const { id, type, text, tool_call_id, tool_calls = [] } of Object.values(told).flatMap((update) => update?.messages ?? [])) {
      if (open.delete(id)) yield { type: "TEXT_MESSAGE_END", messageId: id };
      for (const { id: toolCallId, name, args } of tool_calls) {
        yield { type: "TOOL_CALL_START", toolCallId, toolCallName: name, parentMessageId: id };
        yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) };
        yield { type: "TOOL_CALL_END", toolCallId };
      }
      if (type === "tool") yield { type: "TOOL_CALL_RESULT", messageId: id ?? `${tool_call_id} result`, toolCallId: tool_call_id, content: text };
    }
  }
  for (const messageId of open) yield { type: "TEXT_MESSAGE_END", messageId };
  const interrupts = (await graph.getState(config)).tasks.flatMap((task) => task.interrupts.map(asked));
  yield { type: "RUN_FINISHED", ...run, outcome: interrupts.length > 0 ? { type: "interrupt", interrupts } : { type: "success" } };
}

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const stop = new AbortController();
  response.on("close", () => stop.abort()); // whoever stops the run stops the graph
  response.writeHead(200, { "content-type": "text/event-stream" });
  const tell = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  try {
    for await (const event of events(JSON.parse(body), stop.signal)) tell(event);
  } catch ({ message, code }) {
    tell({ type: "RUN_ERROR", message, code: typeof code === "string" ? code : undefined });
  }
  response.end();
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`ready http://127.0.0.1:${server.address().port}/`));
