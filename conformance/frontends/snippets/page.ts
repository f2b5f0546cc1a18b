import type { Interrupt } from "@ag-ui/client";
import { answersOf, WebSocketAgent } from "@aguiws/client";

const address = new URL(location.href);         // holds the thread's id, for a reload
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

const agent = new WebSocketAgent({ url: "/agui/ws", threadId });
agent.follow();                                 // keeps agent.messages, state and pendingInterrupts, whoever runs

async function send(text: string) {
  if (agent.pendingInterrupts.length) return;   // answer first: disable the composer, too
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await agent.runAgent();                       // ends with the run, through any number of lost sockets
}

// The buttons of a question. If it has none, draw a form of its responseSchema.
const buttonsOf = (question: Interrupt) =>
  answersOf(question).choices.map(({ label, payload }) => ({
    label,
    onClick: () => agent.runAgent({ resume: [{ interruptId: question.id, status: "resolved", payload }] }),
  }));

const stop = () => agent.abortRun();            // stops the run at the server

export { buttonsOf, send, stop };
