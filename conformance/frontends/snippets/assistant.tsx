import type { ReactNode } from "react";

declare const Thread: () => ReactNode;
declare const Questions: () => ReactNode;

import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAguiwsRuntime, type WebSocketAgent } from "@aguiws/client/assistant-ui";

function Chat({ agent }: { agent: WebSocketAgent }) {
  const runtime = useAguiwsRuntime({ agent });
  return <AssistantRuntimeProvider runtime={runtime}><Thread /><Questions /></AssistantRuntimeProvider>;
}

export { Chat };
