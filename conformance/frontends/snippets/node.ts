declare const threadId: string;

import { WebSocketAgent } from "@aguiws/client";
import { WebSocket } from "ws";

const agent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws", threadId, WebSocket });

agent.connection.close();
