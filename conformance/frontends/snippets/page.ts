declare const threadId: string, id: string;

import { WebSocketAgent } from "@aguiws/client";

const agent = new WebSocketAgent({ url: "/agui/ws", threadId });
const stop = agent.follow();          // messages, state, pendingInterrupts, whoever runs
agent.addMessage({ id, role: "user", content: "hello" });
await agent.runAgent();               // ends with the run, through any number of lost sockets
agent.abortRun();                     // stops it at the server

stop();
