import { WebSocketAgent } from "@aguiws/client";
import { Decision, useInterrupts, useThread } from "@aguiws/react";
import "@aguiws/react/styles.css";               // leave it out to begin without any looks

const address = new URL(location.href);         // holds the thread's id, for a reload
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

const agent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws", threadId });   // "/agui/ws" behind a proxy

export default function Chat() {
  const thread = useThread(agent);               // follows the thread: messages, status, send, answer, stop
  const { questions } = useInterrupts(thread);   // what is open, each with the props of its <Decision>
  return (
    <main>
      {thread.messages.map(({ id, content }) => <p key={id}>{typeof content === "string" && content}</p>)}
      {questions.map((question) => <Decision key={question.interrupt.id} {...question} />)}
      {thread.status.connection !== "connected" && <p role="status">{thread.status.connection} {thread.status.failure?.message}</p>}
      {thread.fault && !questions.some(({ fault }) => fault) && <p role="alert">{thread.fault.message}</p>}
      <form onSubmit={(event) => {
        event.preventDefault();
        const input = event.currentTarget.elements.namedItem("text") as HTMLInputElement;
        const text = input.value;
        input.value = "";
        void thread.send(text).then((taken) => { if (!taken) input.value ||= text; });   // refused: fault says why
      }}>
        <input name="text" disabled={thread.running || questions.length > 0} />
      </form>
      {thread.running && <button onClick={thread.stop}>Stop</button>}
    </main>
  );
}
