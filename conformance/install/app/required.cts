// The package is an ES module; CommonJS has it by require.

import { WebSocketAgent } from "@aguiws/client";

export const agent: WebSocketAgent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws" });
