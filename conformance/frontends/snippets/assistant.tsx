import type { ReactNode } from "react";

declare const threadId: string;
declare const Thread: () => ReactNode;

import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAguiwsRuntime, WebSocketAgent } from "@aguiws/client/assistant-ui";

// Once, outside the component; threadId as above. useAguiwsRuntime follows by itself. Thread is a file of your page.
const agent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws", threadId });   // "/agui/ws" behind a proxy

export default function Chat() {
  const runtime = useAguiwsRuntime({ agent });
  return <AssistantRuntimeProvider runtime={runtime}><Thread /></AssistantRuntimeProvider>;
}
