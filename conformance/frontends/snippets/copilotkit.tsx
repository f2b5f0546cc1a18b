import type { ReactNode } from "react";

declare const threadId: string;
declare const Questions: () => ReactNode;

import { WebSocketAgent } from "@aguiws/client/copilotkit";
import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";

const agent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws", threadId });   // once, outside the component; threadId as above
agent.follow();   // what other tabs and the server begin is shown, too
const agents = { default: agent };

<CopilotKit agents__unsafe_dev_only={agents} threadId={threadId} enableInspector={false}>
  <Questions />
  <CopilotChat threadId={threadId} />
</CopilotKit>
