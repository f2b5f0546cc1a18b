import type { ReactNode } from "react";
import { Questions as Decisions } from "./decisions-assistant";

declare const threadId: string;
declare const Thread: () => ReactNode;
declare const Questions: () => ReactNode;

import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAguiwsRuntime, WebSocketAgent } from "@aguiws/client/assistant-ui";

const agent = new WebSocketAgent({ url: "/agui/ws", threadId });   // once, outside the component; useAguiwsRuntime follows by itself

function Chat() {
  const runtime = useAguiwsRuntime({ agent });
  return <AssistantRuntimeProvider runtime={runtime}><Thread /><Questions /></AssistantRuntimeProvider>;
}

const decisions = <Decisions agent={agent} />;

export { Chat, decisions };
