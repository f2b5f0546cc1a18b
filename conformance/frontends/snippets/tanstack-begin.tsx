declare const threadId: string;

import { useChat } from "@tanstack/ai-react";
import { aguiws } from "@aguiws/client/tanstack";

// Once for each chat, outside the component; threadId as above.
const connection = aguiws({ url: "ws://127.0.0.1:8080/agui/ws", threadId });   // "/agui/ws" behind a proxy

function Chat() {
  const { messages, sendMessage, stop, interrupts } = useChat({ connection, threadId, persistence: true, live: true });
  return (
    <>
      {messages.map(({ id, parts }) => <p key={id}>{parts.map((part) => part.type === "text" && part.content)}</p>)}
      {interrupts.length > 0 && <p>The agent asks something.</p>}
      <button onClick={() => sendMessage("hello")}>say hello</button>
    </>
  );
}

export { Chat };
