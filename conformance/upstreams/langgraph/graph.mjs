// The graph: a node in which a model says something, or one node a mail, which asks before it sends.

import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { END, interrupt, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { command, effect, numbers } from "../serve.mjs";

const APPROVAL = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };

const told = ({ messages }) => command(messages.findLast((message) => message.getType() === "human")?.text);

async function say(state, config) {
  const { word, count, ms = 0, text } = told(state);
  if (word === "fail") throw new Error(text);
  const chunks = (word === "slow" ? numbers(count) : [text]).map((content) => new AIMessageChunk({ content }));
  const model = new FakeStreamingChatModel({ chunks, sleep: ms });
  return { messages: [await model.invoke(state.messages, config)] };
}

/** What is before the interrupt is done again when it is answered; what is behind it is done once. */
async function send({ to }) {
  const answer = interrupt({ message: `Send to ${to}?`, responseSchema: APPROVAL });
  const sent = answer?.approved === true;
  if (sent) effect("send", { to });
  return { messages: [new AIMessage(sent ? `Sent to ${to}.` : `Not sent to ${to}.`)] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("say", say)
  .addNode("send", send)
  .addConditionalEdges(START, (state) => (told(state).to ?? []).map((to) => new Send("send", { to })).concat(told(state).to ? [] : ["say"]), ["say", "send"])
  .addEdge("say", END)
  .addEdge("send", END)
  .compile();
