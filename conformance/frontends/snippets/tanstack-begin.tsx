declare const threadId: string;

import { useChat } from "@tanstack/ai-react";
import { aguiws } from "@aguiws/client/tanstack";

const connection = aguiws({ url: "/agui/ws", threadId });   // once for each chat, outside the component; threadId as above

function Chat() {
  const { messages, sendMessage, stop, interrupts } = useChat({ connection, threadId, persistence: true, live: true });
  // …
}

export { Chat };
