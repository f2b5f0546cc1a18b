import { HttpAgent, runHttpRequest, transformHttpEventStream, type Interrupt, type RunAgentInput } from "@ag-ui/client";

const address = new URL(location.href);         // holds the thread's id, for a reload
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

class KeptAgent extends HttpAgent {
  connect({ threadId }: RunAgentInput) {
    const events = `${this.url}/threads/${encodeURIComponent(threadId)}/events`;
    return transformHttpEventStream(runHttpRequest(() => fetch(events, { headers: this.headers })));
  }
}

const agent = new KeptAgent({ url: "http://127.0.0.1:8080/agui", threadId });

// Shows the thread, and says when something has changed.
function open(changed: () => void) {
  agent.subscribe({ onMessagesChanged: changed, onRunFinalized: changed });
  agent.connectAgent().catch(console.error);    // calls connect
}

async function send(text: string) {
  if (agent.pendingInterrupts.length) return;   // answer first: disable the composer, too
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await agent.runAgent();                       // ends with the run: agent.pendingInterrupts has what it has asked
}

// The buttons of a question: the answers that its agent lists. A call or a question without a schema: yes and no. Any other: a form.
const yesAndNo = [{ label: "Yes", payload: { approved: true } }, { label: "No", payload: { approved: false } }];
const choicesOf = ({ reason, metadata, responseSchema }: Interrupt) =>
  (metadata?.answers ?? (reason === "tool_call" || !responseSchema ? yesAndNo : [])) as { label: string; payload: unknown }[];

// Call it when every open question has its answer, by the question's id. A question that is not among them is cancelled.
// It rejects if the server refuses an answer: the message says why, and the questions stay open.
async function answer(chosen: Map<string, unknown>) {
  const resume = agent.pendingInterrupts.map(({ id }) =>
    chosen.has(id) ? { interruptId: id, status: "resolved" as const, payload: chosen.get(id) } : { interruptId: id, status: "cancelled" as const });
  await agent.runAgent({ resume });
}

import { useSyncExternalStore } from "react";

let changes = 0;
const listeners = new Set<() => void>();
open(() => {
  changes++;
  listeners.forEach((listener) => listener());
});
const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

function useThread() {
  useSyncExternalStore(listen, () => changes);
  return agent;                                 // messages, pendingInterrupts, isRunning
}

export { answer, choicesOf, send, useThread };
