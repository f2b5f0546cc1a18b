import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAguiwsRuntime, WebSocketAgent } from "@aguiws/client/assistant-ui";
import { Thread } from "./thread";

const address = new URL(location.href);         // holds the thread's id, for a reload
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

// Once, outside the component. useAguiwsRuntime follows by itself.
const agent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws", threadId });   // "/agui/ws" behind a proxy

export default function Chat() {
  const runtime = useAguiwsRuntime({ agent });
  return <AssistantRuntimeProvider runtime={runtime}><Thread /></AssistantRuntimeProvider>;
}
