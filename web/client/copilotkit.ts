// All of the package for pages of CopilotKit: WebSocketAgent is of the type that its `agents__unsafe_dev_only` and
// `selfManagedAgents` take, whichever @ag-ui/client the application has beside CopilotKit's.

import type { AbstractAgent } from "@copilotkit/react-core/v2";
import { WebSocketAgent as Agent } from "./agent.js";
import type { WebSocketAgentClassOf, WebSocketAgentOf } from "./agentof.js";

export * from "./index.js";

export type WebSocketAgent = WebSocketAgentOf<AbstractAgent>;
export const WebSocketAgent = Agent as unknown as WebSocketAgentClassOf<AbstractAgent>;
