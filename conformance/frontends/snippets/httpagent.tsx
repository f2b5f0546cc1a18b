import { HttpAgent, runHttpRequest, transformHttpEventStream, type Interrupt, type Message, type RunAgentInput, type RunAgentParameters, type RunErrorEvent } from "@ag-ui/client";

const address = new URL(location.href);         // holds the thread's id, for a reload
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

class KeptAgent extends HttpAgent {
  runId = "";                                   // of the run that began last, here or before a reload

  connect({ threadId }: RunAgentInput) {
    const events = `${this.url}/threads/${encodeURIComponent(threadId)}/events`;
    return transformHttpEventStream(runHttpRequest(() => fetch(events, { headers: this.headers })));
  }

  async stop() {                                // stops the run at the server; abortRun leaves it alone for a while
    const run = `${this.url}/threads/${encodeURIComponent(this.threadId)}/runs/${encodeURIComponent(this.runId)}`;
    const { ok, status } = await fetch(`${run}/stop`, { method: "POST", headers: this.headers });
    if (!ok) throw new Error(`The run was not stopped (${status}).`);
  }
}

const agent = new KeptAgent({ url: "http://127.0.0.1:8080/agui", threadId });
agent.subscribe({ onRunStartedEvent: ({ event }) => { agent.runId = event.runId; } });

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
  const message: Message = { id: crypto.randomUUID(), role: "user", content: text };
  agent.addMessage(message);
  await run().catch((error) => {                // a message that no server has is not shown
    agent.setMessages(agent.messages.filter((each) => each !== message));
    throw error;
  });
}

// The buttons of a question. If it has none, draw a form of its responseSchema: `<DecisionForm>` is one, of our package @aguiws/react.
interface Choice { label: string; payload?: unknown }
const either = (yes: string, no: string): Choice[] => [{ label: yes, payload: { approved: true } }, { label: no, payload: { approved: false } }];
function choicesOf({ reason, metadata, responseSchema }: Interrupt): Choice[] {
  if (reason === "aguiws:auth_required") return [{ label: "Done" }];
  if (reason === "aguiws:paused") return [{ label: "Go on" }];
  if (reason === "tool_call" && responseSchema) return either("Approve", "Decline");
  return (metadata?.answers as Choice[] | undefined) ?? (responseSchema ? [] : either("Yes", "No"));
}

// Call it when every open question has its answer, by the question's id. A question that is not among them is cancelled.
// If it rejects, the message says why, and agent.pendingInterrupts has what is still open.
async function answer(chosen: Map<string, unknown>) {
  const resume = agent.pendingInterrupts.map(({ id }) =>
    chosen.has(id) ? { interruptId: id, status: "resolved" as const, payload: chosen.get(id) } : { interruptId: id, status: "cancelled" as const });
  await run({ resume });
}

import { useEffect, useState, useSyncExternalStore, type FormEvent } from "react";

let changes = 0;
const listeners = new Set<() => void>();
const changed = () => { changes++; listeners.forEach((listener) => listener()); };
agent.subscribe({ onRunStartedEvent: changed, onMessagesChanged: changed, onRunFinalized: changed });
const opened = agent.connectAgent();            // calls connect, which shows the thread: subscribe before it
opened.catch(() => {});                         // Chat tells of it
const listen = (listener: () => void) => { listeners.add(listener); return () => void listeners.delete(listener); };
function useThread() {
  useSyncExternalStore(listen, () => changes);
  return agent;                                 // messages, pendingInterrupts, isRunning
}

export default function Chat() {
  const { messages, pendingInterrupts, isRunning } = useThread();
  const [chosen, setChosen] = useState(new Map<string, unknown>());
  const [failure, setFailure] = useState("");
  const tell = (work: Promise<unknown>) => work.then(() => setFailure(""), (error: Error) => setFailure(error.message));
  useEffect(() => void tell(opened), []);
  const choose = (id: string, payload?: unknown) => {
    const all = new Map(chosen).set(id, payload);
    setChosen(all);
    if (pendingInterrupts.every((question) => all.has(question.id))) tell(answer(all));
  };
  const callOf = ({ toolCallId }: Interrupt) =>
    messages.flatMap((message) => (message.role === "assistant" && message.toolCalls) || []).find(({ id }) => id === toolCallId)?.function;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem("text") as HTMLInputElement, text = input.value;
    input.value = "";
    tell(send(text).catch((error) => { input.value ||= text; throw error; }));
  };
  return (
    <>
      {messages.map((message) => <p key={message.id}>{typeof message.content === "string" && message.content}</p>)}
      {pendingInterrupts.map((question) => (
        <p key={question.id}>
          {question.message} {callOf(question)?.name} {callOf(question)?.arguments}
          {choicesOf(question).map(({ label, payload }) => <button key={label} onClick={() => choose(question.id, payload)}>{label}</button>)}
          {chosen.has(question.id) && "✓"}
        </p>
      ))}
      {pendingInterrupts.length > 0 && <button onClick={() => tell(answer(new Map()))}>Cancel</button>}
      {failure && <p role="alert">{failure} <button onClick={() => tell(agent.connectAgent())}>Load again</button></p>}
      <form onSubmit={submit}><input name="text" disabled={isRunning || pendingInterrupts.length > 0} /></form>
      {isRunning && <button onClick={() => tell(agent.stop())}>Stop</button>}
    </>
  );
}
