// The page: one agent, of the thread that the address names.

import { WebSocketAgent } from "@aguiws/client";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat";

const threadId = new URLSearchParams(location.search).get("thread") ?? "example";
const agent = new WebSocketAgent({ url: "/agui/ws", threadId });
createRoot(document.getElementById("root")!).render(<Chat agent={agent} />);
