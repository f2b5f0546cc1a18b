// The page: one agent, of the thread that the address names, so that a reload finds it again.

import { WebSocketAgent } from "@aguiws/client/assistant-ui";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat";

const address = new URL(location.href);
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

const agent = new WebSocketAgent({ url: "/agui/ws", threadId });
createRoot(document.getElementById("root")!).render(<Chat agent={agent} />);
