// Graphs as LangGraph's documents have them, which know nothing of AG-UI: they ask by interrupt() in their own ways.
//
//   approve NAME   a text, of which the answer is taken for a yes or a no
//   choose NAME    a question and options
//   edit NAME      what is to be sent, which the answer replaces
//   tool NAME      a tool that asks before it sends
//   review NAME    a tool that the middleware of createAgent asks about: reviewed

import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { Command, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, humanInTheLoopMiddleware } from "langchain";
import { z } from "zod";
import { effect } from "../serve.mjs";

const last = ({ messages }) => messages.findLast((message) => message.getType() === "human").text.split(" ");
const says = (text) => ({ messages: [new AIMessage(text)] });
const end = (sent, to) => says(`${sent ? "Sent" : "Not sent"} to ${to}`);

async function approve(state) {
  const [, to] = last(state);
  return new Command({ goto: interrupt(`Send to ${to}?`) ? "proceed" : "cancel" });
}

async function proceed(state) {
  const [, to] = last(state);
  effect("send", { to });
  return end(true, to);
}

async function cancel(state) {
  return end(false, last(state)[1]);
}

async function choose(state) {
  const [, to] = last(state);
  return new Command({ goto: interrupt({ question: `Send to ${to}?`, options: ["yes", "no"] }) === "yes" ? "proceed" : "cancel" });
}

async function edit(state) {
  const [, to] = last(state);
  const text = interrupt({ instruction: `What shall I write to ${to}?`, content: "Hello!" });
  if (typeof text === "string") effect("send", { to, text });
  return end(typeof text === "string", to);
}

const asking = tool(
  async ({ to }) => {
    const answer = interrupt({ action: "send_mail", to, message: `Send to ${to}?` });
    if (answer?.action !== "approve") return `Not sent to ${to}`;
    effect("send", { to: answer.to ?? to });
    return `Sent to ${to}`;
  },
  { name: "send_mail", description: "Sends a mail.", schema: z.object({ to: z.string() }) },
);

const sending = tool(
  async ({ to }) => {
    effect("send", { to });
    return `Sent to ${to}`;
  },
  { name: "send", description: "Sends a mail.", schema: z.object({ to: z.string() }) },
);

/** Calls the tool that it is bound to for what the user has said, and then repeats what the tool has said. */
class Model extends FakeStreamingChatModel {
  bindTools([{ name }]) {
    this.calls = name;
    return this;
  }
  async _generate(messages) {
    const before = messages.at(-1);
    const [, to] = last({ messages });
    const message = before.getType() === "tool"
      ? new AIMessageChunk({ content: before.status === "error" ? `Not sent to ${to}` : before.text })
      : new AIMessageChunk({ content: "", tool_call_chunks: [{ id: crypto.randomUUID(), index: 0, name: this.calls, args: JSON.stringify({ to }), type: "tool_call_chunk" }] });
    return { generations: [{ message, text: message.text }] };
  }
  async *_streamResponseChunks(messages) {
    const { generations: [{ message, text }] } = await this._generate(messages);
    yield { message, text };
  }
}

const model = new Model({}).bindTools([asking]);

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("approve", approve, { ends: ["proceed", "cancel"] })
  .addNode("choose", choose, { ends: ["proceed", "cancel"] })
  .addNode("proceed", proceed)
  .addNode("cancel", cancel)
  .addNode("edit", edit)
  .addNode("tool", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode("tools", new ToolNode([asking]))
  .addConditionalEdges(START, (state) => last(state)[0], ["approve", "choose", "edit", "tool"])
  .addConditionalEdges("tool", ({ messages }) => (messages.at(-1).tool_calls?.length ? "tools" : END), ["tools", END])
  .addEdge("tools", "tool")
  .addEdge("edit", END)
  .addEdge("proceed", END)
  .addEdge("cancel", END)
  .compile();

export const reviewed = createAgent({
  model: new Model({}),
  tools: [sending],
  middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
}).graph;
