// A graph with a tool that asks and a node that asks by a form, as docs/langgraph-js.md shows them. The model only calls and repeats.

import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { z } from "zod";

const sendMail = tool(
  async ({ to, text }, config) => {
    const sent = interrupt(`Send this to ${to}? ${text}`) === true; // Yes is true; No and Cancel are false
    if (!sent) return "A person has said no. The mail has not been sent.";
    await deliver({ to, text }, `${config.configurable?.thread_id} ${config.toolCall?.id}`);
    return `I have sent the mail to ${to}.`;
  },
  { name: "send_mail", description: "Sends a mail.", schema: z.object({ to: z.string(), text: z.string() }) },
);

async function refund({ messages }, config) {
  const last = messages.at(-1);
  const amount = Number(last.text.split(" ").at(-1));
  const answer = interrupt({
    message: `Refund ${amount}?`,
    responseSchema: {
      type: "object",
      properties: { approved: { type: "boolean" }, amount: { type: "number", default: amount } },
      required: ["approved"],
    },
  });
  if (answer.approved !== true) return { messages: [new AIMessage("I have refunded nothing.")] }; // a Cancel has no approved
  await deliver({ refund: answer.amount }, `${config.configurable?.thread_id} ${last.id} refund`);
  return { messages: [new AIMessage(`I have refunded ${answer.amount}.`)] };
}

async function approve({ messages }) {
  const approved = interrupt("Shall I?") === true && (messages.at(-1).text !== "ask twice" || interrupt("Really?") === true);
  return { messages: approved ? [] : [new AIMessage("No.")] };
}

async function act() {
  diesOnce("behind the answer");
  return { messages: [new AIMessage("I have done it.")] };
}

async function check({ messages }) {
  if (messages.at(-1).tool_calls[0].args.to === "dan") diesOnce("behind the call");
  return {};
}

function diesOnce(where) {
  if (existsSync(where)) return;
  writeFileSync(where, "");
  process.kill(process.pid, "SIGKILL");
}

/** Is silent until the test goes on. */
async function slow() {
  await fetch(process.env.SLOW);
  return { messages: [new AIMessage("I have waited.")] };
}

/** Stands for a service. */
async function deliver(what, key) {
  appendFileSync(process.env.SENT, `${JSON.stringify({ ...what, key })}\n`);
}

async function model({ messages }) {
  const last = messages.at(-1);
  if (last.type === "tool") return { messages: [await new FakeListChatModel({ responses: [last.text] }).invoke(messages)] };
  const args = { to: last.text.split(" ").at(-1), text: "Hello." };
  return { messages: [new AIMessage({ content: "", tool_calls: [{ id: `call_${last.id}`, name: "send_mail", args }] })] };
}

const first = { refund: "refund", die: "approve", ask: "approve", wait: "slow" };

export const builder = new StateGraph(MessagesAnnotation)
  .addNode("model", model)
  .addNode("check", check)
  .addNode("tools", new ToolNode([sendMail]))
  .addNode("refund", refund)
  .addNode("approve", approve)
  .addNode("act", act)
  .addNode("slow", slow)
  .addConditionalEdges(START, ({ messages }) => first[messages.at(-1).text.split(" ")[0]] ?? "model", ["model", "refund", "approve", "slow"])
  .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls?.length ? "check" : END), ["check", END])
  .addEdge("check", "tools")
  .addEdge("tools", "model")
  .addEdge("refund", END)
  .addEdge("approve", "act")
  .addEdge("act", END)
  .addEdge("slow", END);
