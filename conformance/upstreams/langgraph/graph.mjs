// The graph: a node in which a model says something, one node a mail, which asks before it sends, or steps, one behind the other.

import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { END, interrupt, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { command, effect, numbers, pause } from "../serve.mjs";

const APPROVAL = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };

const told = ({ messages }) => command(messages.findLast((message) => message.getType() === "human")?.text);

/** Takes its time, which the package's own does not between chunks. */
class Model extends FakeStreamingChatModel {
  async *_streamResponseChunks(messages, options, manager) {
    for await (const chunk of super._streamResponseChunks(messages, options, manager)) {
      if (options.signal?.aborted) return;
      yield chunk;
      if (this.sleep) await pause(this.sleep);
    }
  }
}

async function say(state, config) {
  const { word, count, ms = 0, text } = told(state);
  if (word === "fail") throw new Error(text);
  const chunks = (word === "slow" ? numbers(count) : [text]).map((content) => new AIMessageChunk({ content }));
  const model = new Model({ chunks, sleep: ms });
  return { messages: [await model.invoke(state.messages, config)] };
}

/** What is before the interrupt is done again when it is answered; what is behind it is done once. */
async function send({ to, expiresAt }) {
  const answer = interrupt({ message: `Send to ${to}?`, responseSchema: APPROVAL, expiresAt });
  const sent = answer?.approved === true;
  if (sent) effect("send", { to });
  return { messages: [new AIMessage(sent ? `Sent to ${to}.` : `Not sent to ${to}.`)] };
}

/** One of several steps: how many there were stands in the messages behind the user's. */
async function step(state) {
  const { name, ms } = told(state);
  effect("step", { name });
  await pause(ms);
  return { messages: [new AIMessage(`Step ${taken(state) + 1}.`)] };
}

const taken = ({ messages }) => messages.length - 1 - messages.findLastIndex((message) => message.getType() === "human");

function route(state) {
  const { word, to, expiresAt } = told(state);
  return to?.map((to) => new Send("send", { to, expiresAt })) ?? (word === "steps" ? "step" : "say");
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("say", say)
  .addNode("send", send)
  .addNode("step", step)
  .addConditionalEdges(START, route, ["say", "send", "step"])
  .addConditionalEdges("step", (state) => (taken(state) < told(state).count ? "step" : END), ["step", END])
  .addEdge("say", END)
  .addEdge("send", END)
  .compile();
