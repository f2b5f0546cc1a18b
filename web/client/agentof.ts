// Copies of @ag-ui/client may stand side by side: CopilotKit and assistant-ui bring one in a version of their own. At run
// time any of them takes an agent of another; TypeScript does not, because the base class has private members.

import type { AbstractAgent } from "@ag-ui/client";
import type { WebSocketAgent, WebSocketAgentConfig } from "./agent.js";

/** A WebSocketAgent as somebody knows it whose AbstractAgent is `Base`, and who may have it from another @ag-ui/client. */
export type WebSocketAgentOf<Base> = Omit<WebSocketAgent, Exclude<keyof AbstractAgent, "getCapabilities">> & {
  clone(): WebSocketAgentOf<Base>;
} & Base;

/** The class of those. */
export type WebSocketAgentClassOf<Base> = new (config: WebSocketAgentConfig) => WebSocketAgentOf<Base>;
