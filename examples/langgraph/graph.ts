// A graph that asks before it sends a mail. No line of it is about aguiws.

import { AIMessage } from "@langchain/core/messages";
import { END, interrupt, type LangGraphRunnableConfig, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** What stands above the interrupt runs again when it is answered, so nothing there acts. */
function send({ messages }: typeof MessagesAnnotation.State, config: LangGraphRunnableConfig) {
  const last = messages.at(-1)!;
  const to = last.text.split(" ").at(-1)!;
  const approved = interrupt(`Send the mail to ${to}?`) === true; // Yes is true; No and Cancel are false
  if (approved) sendMail(to, `${config.configurable?.thread_id} ${last.id} send`);
  return { messages: [new AIMessage(approved ? `I have sent the mail to ${to}.` : "I have not sent it.")] };
}

/** Stands for a service that drops a second request with the same key. */
function sendMail(to: string, key: string) {
  const file = process.env.SENT ?? "sent.log";
  if (existsSync(file) && readFileSync(file, "utf8").includes(key)) return;
  appendFileSync(file, `${JSON.stringify({ to, key })}\n`);
}

export const graph = new StateGraph(MessagesAnnotation).addNode("send", send).addEdge(START, "send").addEdge("send", END).compile();
