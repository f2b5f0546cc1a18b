// A graph that asks before it sends a mail. No line of it is about aguiws.

import { AIMessage } from "@langchain/core/messages";
import { END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { appendFileSync } from "node:fs";

/** What stands above the interrupt runs again when it is answered. What stands below it may run twice after a crash: a mail server would be given a key of the thread, the last message and the action. */
function send({ messages }: typeof MessagesAnnotation.State) {
  const to = messages.at(-1)?.text.split(" ").at(-1);
  const sent = interrupt(`Send the mail to ${to}?`) === true;
  if (sent) appendFileSync(process.env.SENT ?? "sent.log", `sent to ${to}\n`);
  return { messages: [new AIMessage(sent ? `I have sent the mail to ${to}.` : "I have not sent it.")] };
}

export const graph = new StateGraph(MessagesAnnotation).addNode("send", send).addEdge(START, "send").addEdge("send", END).compile();
