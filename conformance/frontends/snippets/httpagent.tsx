import { HttpAgent, runHttpRequest, transformHttpEventStream, type Interrupt, type RunAgentInput, type RunAgentParameters, type RunErrorEvent } from "@ag-ui/client";

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

// Ends with the run: agent.pendingInterrupts has what it asked. Rejects if the server refuses or the run fails; runAgent alone resolves.
async function run(parameters?: RunAgentParameters) {
  let error: RunErrorEvent | undefined;
  await agent.runAgent(parameters, { onRunErrorEvent: ({ event }) => { error = event; } });
  if (!error) return;
  if (error.code !== "interrupt_payload_invalid") {   // somebody else was first, or the run failed: shows what is open now
    agent.pendingInterrupts = [];
    await agent.connectAgent();
  }
  throw new Error(error.message);
}

async function send(text: string) {
  if (agent.pendingInterrupts.length) return;   // answer first: disable the composer, too
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await run();
}

// The buttons of a question. If it has none, draw a form of its responseSchema.
interface Choice { label: string; payload?: unknown }
const yesAndNo: Choice[] = [{ label: "Yes", payload: { approved: true } }, { label: "No", payload: { approved: false } }];
function choicesOf({ reason, metadata, responseSchema }: Interrupt): Choice[] {
  if (reason === "aguiws:auth_required") return [{ label: "Done" }];
  if (reason === "aguiws:paused") return [{ label: "Go on" }];
  if (reason === "tool_call" && responseSchema) return yesAndNo;
  return (metadata?.answers as Choice[] | undefined) ?? (responseSchema ? [] : yesAndNo);
}

// Call it when every open question has its answer, by the question's id. A question that is not among them is cancelled.
// If it rejects, the message says why, and agent.pendingInterrupts has what is still open.
async function answer(chosen: Map<string, unknown>) {
  const resume = agent.pendingInterrupts.map(({ id }) =>
    chosen.has(id) ? { interruptId: id, status: "resolved" as const, payload: chosen.get(id) } : { interruptId: id, status: "cancelled" as const });
  await run({ resume });
}

import { useSyncExternalStore } from "react";

let changes = 0;
const listeners = new Set<() => void>();
open(() => { changes++; listeners.forEach((listener) => listener()); });
const listen = (listener: () => void) => { listeners.add(listener); return () => void listeners.delete(listener); };
function useThread() {
  useSyncExternalStore(listen, () => changes);
  return agent;                                 // messages, pendingInterrupts, isRunning
}

export { answer, choicesOf, send, useThread };
