declare const threadId: string;

import { useChat } from "@tanstack/ai-react";
import { aguiws } from "@aguiws/client/tanstack";

const connection = aguiws({ url: "/agui/ws", threadId });   // once for each chat, outside the component

function Chat() {
  const { messages, sendMessage, stop, interrupts } = useChat({ connection, threadId, persistence: true, live: true });
  return (
    <>
      {messages.map((message) => <p key={message.id}>{message.parts.map((part) => part.type === "text" && part.content)}</p>)}
      {interrupts.map((question) => question.kind === "generic" && (
        <button key={question.id} onClick={() => question.resolveInterrupt({ approved: true })}>{question.message}</button>
      ))}
      <button onClick={() => sendMessage("hello")}>say hello</button>
      <button onClick={stop}>stop</button>
    </>
  );
}

export { Chat };
