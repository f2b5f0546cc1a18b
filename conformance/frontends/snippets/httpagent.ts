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

const agent = new KeptAgent({ url: "/agui", threadId });
await agent.connectAgent();                     // calls connect: agent.messages and agent.pendingInterrupts are there

// The buttons of a question: the answers that its agent lists, or a yes and a no.
const yesAndNo = [{ label: "Yes", payload: { approved: true } }, { label: "No", payload: { approved: false } }];
const choicesOf = ({ metadata }: Interrupt) => (metadata?.answers ?? yesAndNo) as { label: string; payload: unknown }[];

// Call it when every open question has its answer: chosen has the payload of the pressed button, by the question's id.
async function answer(chosen: Map<string, unknown>) {
  const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved" as const, payload: chosen.get(id) }));
  await agent.runAgent({ resume });
}

export { answer, choicesOf };
