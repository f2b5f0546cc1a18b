// A chat of TanStack AI on a thread that the server keeps.

import { useChat } from "@tanstack/ai-react";
import { aguiws } from "@aguiws/client/tanstack";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Question } from "./question";
import "./chat.css";

// A thread has an address, so that a reload finds it again.
const address = new URL(location.href);
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

const connection = aguiws({ url: "/agui/ws", threadId }); // once for each chat, outside the component

function Chat() {
  const { messages, sendMessage, stop, isLoading, interrupts, error } = useChat({ connection, threadId, persistence: true, live: true });
  const [text, setText] = useState("");
  const send = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    void sendMessage(text);
    setText("");
  };
  return (
    <main className="chat">
      {messages.map(({ id, role, parts }) => (
        <div key={id} className={role}>
          {parts.map((part, i) => {
            if (part.type === "text") return <p key={i}>{part.content}</p>;
            if (part.type === "tool-call") return <pre key={i}>{part.name} {part.arguments}</pre>;
            return null;
          })}
        </div>
      ))}
      {interrupts.map((asked) => asked.kind === "generic" && <Question key={asked.id} asked={asked} />)}
      {error && <p role="alert">{error.message}</p>}
      <form className="composer" onSubmit={send}>
        <textarea aria-label="Message" placeholder="Write a message" value={text} onChange={(event) => setText(event.target.value)} />
        {isLoading ? <button type="button" onClick={stop}>Stop</button> : <button disabled={!text}>Send</button>}
      </form>
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<Chat />);
