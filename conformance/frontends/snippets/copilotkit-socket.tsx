import { Questions } from "./questions";
import { WebSocketAgent } from "@aguiws/client/copilotkit";
import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";

// A thread has an address, so that a reload finds it again.
const address = new URL(location.href);
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

// Once, outside the component.
const agent = new WebSocketAgent({ url: "ws://127.0.0.1:8080/agui/ws", threadId });
agent.follow();   // what other tabs and the server begin is shown, too
const agents = { default: agent };

function Page() {
  return (
    <CopilotKit agents__unsafe_dev_only={agents} threadId={threadId} enableInspector={false}>
      <Questions />
      <CopilotChat threadId={threadId} />
    </CopilotKit>
  );
}

createRoot(document.getElementById("root")!).render(<Page />);
