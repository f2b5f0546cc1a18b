import { answersOf, WebSocketAgent } from "@aguiws/client";

const address = new URL(location.href);                                          // holds the thread's id, for a reload
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

const agent = new WebSocketAgent({ url: "/agui/ws", threadId });
const stop = agent.follow();          // messages, state, pendingInterrupts, whoever runs
agent.addMessage({ id: crypto.randomUUID(), role: "user", content: "hello" });
await agent.runAgent();               // ends with the run, through any number of lost sockets

const [question] = agent.pendingInterrupts;
if (question) {
  const [choice] = answersOf(question).choices;   // one button each: its label is shown, its payload is the answer
  await agent.runAgent({ resume: [{ interruptId: question.id, status: "resolved", payload: choice?.payload }] });
}
agent.abortRun();                     // stops a run at the server

stop();
