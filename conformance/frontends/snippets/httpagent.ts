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

// Shows the thread, now and after each change. draw is yours: it draws messages, and the questions that are open.
async function open(draw: (agent: HttpAgent) => void) {
  agent.subscribe({ onEvent: () => draw(agent), onRunFinalized: () => draw(agent) });
  await agent.connectAgent();                   // calls connect
}

async function send(text: string) {
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await agent.runAgent();                       // ends with the run: agent.pendingInterrupts has what it has asked
}

// The buttons of a question: the answers that its agent lists; a yes and a no if it has no schema; else draw a form of the schema.
const yesAndNo = [{ label: "Yes", payload: { approved: true } }, { label: "No", payload: { approved: false } }];
const choicesOf = ({ metadata, responseSchema }: Interrupt) =>
  (metadata?.answers ?? (responseSchema ? [] : yesAndNo)) as { label: string; payload: unknown }[];

// Call it when every open question has its answer, by the question's id. A question that is not among them is cancelled.
// It rejects if the server refuses an answer: the message says why, and the questions stay open.
async function answer(chosen: Map<string, unknown>) {
  const resume = agent.pendingInterrupts.map(({ id }) =>
    chosen.has(id) ? { interruptId: id, status: "resolved" as const, payload: chosen.get(id) } : { interruptId: id, status: "cancelled" as const });
  await agent.runAgent({ resume });
}

export { answer, choicesOf, open, send };
