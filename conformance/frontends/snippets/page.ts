import type { Interrupt, RunAgentParameters, RunErrorEvent } from "@ag-ui/client";
import { answersOf, WebSocketAgent } from "@aguiws/client";

const address = new URL(location.href);         // holds the thread's id, for a reload
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

const agent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws", threadId });   // "/agui/ws" behind a proxy
agent.follow();                                 // keeps agent.messages, state and pendingInterrupts, whoever runs

// Ends with the run, through any number of lost sockets. Rejects if the server refuses or the run fails; runAgent alone resolves.
async function run(parameters?: RunAgentParameters) {
  let error: RunErrorEvent | undefined;
  await agent.runAgent(parameters, { onRunErrorEvent: ({ event }) => { error = event; } });
  if (error) throw new Error(error.message);
}

async function send(text: string) {
  if (agent.pendingInterrupts.length) return;   // answer first: disable the composer, too
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  await run();
}

// The buttons of a question. If it has none, draw a form of its responseSchema: `<DecisionForm>` of @aguiws/react is one.
const choicesOf = (question: Interrupt) => answersOf(question).choices;

// Call it when every open question has its answer, by the question's id. A question that is not among them is cancelled.
async function answer(chosen: Map<string, unknown>) {
  const resume = agent.pendingInterrupts.map(({ id }) =>
    chosen.has(id) ? { interruptId: id, status: "resolved" as const, payload: chosen.get(id) } : { interruptId: id, status: "cancelled" as const });
  await run({ resume });
}

const stop = () => agent.abortRun();            // stops the run at the server

export { agent, answer, choicesOf, send, stop };
