import { WebSocketAgent } from "@aguiws/client";
import { Decision, useInterrupts, useThread } from "@aguiws/react";
import "@aguiws/react/styles.css";               // leave it out to begin without any looks

const threadId = new URLSearchParams(location.search).get("thread") ?? crypto.randomUUID();
const agent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws", threadId });   // "/agui/ws" behind a proxy

export function Chat() {
  const thread = useThread(agent);               // follows the thread: messages, status, send, answer, stop
  const { questions } = useInterrupts(thread);   // what is open, each with the props of its <Decision>
  return (
    <main>
      {thread.messages.map(({ id, content }) => <p key={id}>{typeof content === "string" && content}</p>)}
      {questions.map((question) => <Decision key={question.interrupt.id} {...question} />)}
      {thread.fault && <p role="alert">{thread.fault.message}</p>}
      <form onSubmit={(event) => {
        event.preventDefault();
        void thread.send(String(new FormData(event.currentTarget).get("text")));
        event.currentTarget.reset();
      }}>
        <input name="text" disabled={thread.running || questions.length > 0} />
      </form>
    </main>
  );
}
