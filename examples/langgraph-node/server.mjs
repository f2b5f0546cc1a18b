// Serves a graph by AG-UI, with a checkpointer of this process: LangGraph's server has no part in it.

import { Command } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createServer } from "node:http";
import path from "node:path";
import { builder } from "./graph.mjs"; // your StateGraph, before it is compiled

const { PORT = "8000", CHECKPOINTS = path.join(import.meta.dirname, "checkpoints.db") } = process.env;
const MOST = 128 * 2 ** 20; // bytes of a request: a thread of aguiws with its default max-thread-bytes has no more
const PATIENCE = 60_000; // ms of silence; after five minutes aguiws takes the agent for lost
const graph = builder.compile({ checkpointer: SqliteSaver.fromConnString(CHECKPOINTS) });

const waiting = ({ tasks }) => tasks.flatMap(({ interrupts }) => interrupts);

/** What the graph is given: each answer by its interrupt's id, or the messages of users that it does not have. If it has them already, it goes on: null. Undefined: it has nothing to do. */
function given({ resume = [], forwardedProps, messages }, state) {
  const waits = waiting(state).map(({ id }) => id);
  const answer = ({ interruptId, status, payload }) => [interruptId, status === "cancelled" ? { __agui_cancelled__: true, interrupt_id: interruptId } : payload];
  const answers = Object.entries(forwardedProps?.command?.resume ?? Object.fromEntries(resume.map(answer)));
  if (answers.length > 0) {
    if (!state.createdAt) throw Object.assign(new Error("The graph has no checkpoint of this thread."), { code: "UNKNOWN_INTERRUPT" });
    const awaited = answers.filter(([id]) => waits.includes(id));
    if (awaited.length > 0) return new Command({ resume: Object.fromEntries(awaited) });
  } else {
    const had = new Set(state.values.messages?.map(({ id }) => id));
    const fresh = messages.filter(({ role, id }) => role === "user" && !had.has(id));
    if (fresh.length > 0 || had.size === 0) return { messages: fresh.map(({ id, content }) => ({ role: "user", id, content })) };
  }
  return waits.length === 0 && state.next.length > 0 ? null : undefined;
}

/** What the graph has said behind the last message that came with the input. */
function unheard({ messages }, { values }) {
  const heard = new Set(messages.map(({ id, toolCallId }) => toolCallId ?? id)); // a result by its call
  const behind = values.messages?.findLastIndex(({ id, tool_call_id }) => heard.has(tool_call_id ?? id)) ?? -1;
  return behind < 0 ? [] : values.messages.slice(behind + 1);
}

/** An interrupt as AG-UI has it. aguiws reads what it was given in its metadata. */
const asked = ({ id, value }) => ({ id, reason: "langgraph:interrupt", message: typeof value === "string" ? value : undefined, responseSchema: value?.responseSchema, metadata: { langgraph: { raw: value } } });

/** The events of a run. A text is told while it is written; a call or a result is told when its node is done. */
async function* events(input, signal) {
  const run = { threadId: input.threadId, runId: input.runId };
  const config = { configurable: { thread_id: input.threadId } };
  const open = new Set();
  function* written({ id: messageId, type, text: delta }) {
    if (type !== "ai" || !delta) return;
    if (!open.has(messageId)) yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    open.add(messageId);
    yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
  }
  function* done({ id, type, text, tool_call_id, tool_calls = [] }) {
    if (open.delete(id)) yield { type: "TEXT_MESSAGE_END", messageId: id };
    for (const { id: toolCallId, name, args } of tool_calls) {
      yield { type: "TOOL_CALL_START", toolCallId, toolCallName: name, parentMessageId: id };
      yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) };
      yield { type: "TOOL_CALL_END", toolCallId };
    }
    if (type === "tool") yield { type: "TOOL_CALL_RESULT", messageId: id ?? `${tool_call_id} result`, toolCallId: tool_call_id, content: text };
  }
  yield { type: "RUN_STARTED", ...run };
  const state = await graph.getState(config);
  const gets = given(input, state);
  if (gets === null || gets === undefined) for (const message of unheard(input, state)) yield* written(message), yield* done(message);
  const stream = gets === undefined ? [] : await graph.stream(gets, { ...config, signal, streamMode: ["messages", "updates"] });
  for await (const [mode, told] of stream) {
    if (mode === "messages") yield* written(told[0]);
    else for (const message of Object.values(told).flatMap((update) => update?.messages ?? [])) yield* done(message);
  }
  for (const messageId of open) yield { type: "TEXT_MESSAGE_END", messageId };
  const interrupts = waiting(await graph.getState(config)).map(asked);
  yield { type: "RUN_FINISHED", ...run, outcome: interrupts.length > 0 ? { type: "interrupt", interrupts } : { type: "success" } };
}

/** The body of a request; undefined: it is too large. */
async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if ((size += chunk.length) > MOST) return undefined;
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const stop = new AbortController();
  response.on("close", () => stop.abort()); // whoever stops the run stops the graph
  const tell = (line) => response.write(`${line}\n\n`);
  const told = (event) => tell(`data: ${JSON.stringify(event)}`);
  let waits;
  try {
    const input = await bodyOf(request);
    if (!input) return response.writeHead(413, { connection: "close" }).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    waits = setInterval(() => tell(": wait"), PATIENCE);
    for await (const event of events(input, stop.signal)) told(event);
  } catch ({ message, code }) {
    if (!response.headersSent) return response.writeHead(400).end();
    told({ type: "RUN_ERROR", message, code: typeof code === "string" ? code : undefined });
  } finally {
    clearInterval(waits);
    response.end();
  }
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`ready http://127.0.0.1:${server.address().port}/`));
