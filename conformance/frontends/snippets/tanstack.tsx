declare const threadId: string;

import { useChat } from "@tanstack/ai-react";
import { answersOf } from "@aguiws/client";
import { aguiws } from "@aguiws/client/tanstack";

// Once for each chat, outside the component; threadId as above.
const connection = aguiws({ url: "ws://127.0.0.1:8080/agui/ws", threadId });   // "/agui/ws" behind a proxy

export default function Chat() {
  const { messages, sendMessage, stop, interrupts } = useChat({ connection, threadId, persistence: true, live: true });
  return (
    <>
      {messages.map((message) => (
        <p key={message.id}>
          {message.parts.map((part) => part.type === "text" ? part.content : part.type === "tool-call" && `${part.name} ${part.arguments}`)}
        </p>
      ))}
      {interrupts.map((question) => question.kind === "generic" && (
        <p key={question.id}>
          {question.message}
          {answersOf(question).choices.map(({ label, payload }) => (
            <button key={label} onClick={() => question.resolveInterrupt(payload)}>{label}</button>
          ))}
          <button onClick={() => question.cancel()}>Cancel</button>
          {question.error?.message}
        </p>
      ))}
      <button onClick={() => sendMessage("hello")}>say hello</button>
      <button onClick={stop}>stop</button>
    </>
  );
}
