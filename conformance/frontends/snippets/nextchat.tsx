import { Questions } from "./questions";
import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";

// A thread has an address, so that a reload finds it again.
const address = new URL(location.href);
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

export default function Chat() {
  return (
    <CopilotKit runtimeUrl="/copilotkit" threadId={threadId} enableInspector={false}>
      <Questions />
      <main style={{ height: "100vh" }}><CopilotChat threadId={threadId} /></main>
    </CopilotKit>
  );
}
