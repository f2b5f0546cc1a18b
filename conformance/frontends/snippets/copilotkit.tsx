import { WebSocketAgent } from "@aguiws/client";

declare const threadId: string;

import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";

const agents = { default: new WebSocketAgent({ url: "/agui/ws", threadId }) };   // once, outside the component

<CopilotKit agents__unsafe_dev_only={agents} threadId={threadId}>
  <CopilotChat threadId={threadId} />
</CopilotKit>
