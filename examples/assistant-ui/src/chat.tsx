// A chat of assistant-ui on a thread that the server keeps.

import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAguiwsRuntime, type WebSocketAgent } from "@aguiws/client/assistant-ui";
import { Thread } from "./thread";

export function Chat({ agent }: { agent: WebSocketAgent }) {
  const runtime = useAguiwsRuntime({ agent });
  return <AssistantRuntimeProvider runtime={runtime}><Thread /></AssistantRuntimeProvider>;
}
