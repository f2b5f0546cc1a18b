// CopilotKit's chat on a thread that the server keeps. There is no runtime of Node and nothing of ours in the page.

import { Questions } from "./questions";
import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";

// A thread has an address, so that a reload finds it again.
const address = new URL(location.href);
const threadId = address.searchParams.get("thread") ?? crypto.randomUUID();
address.searchParams.set("thread", threadId);
history.replaceState(null, "", address);

function Page() {
  return (
    <CopilotKit runtimeUrl="/copilotkit" threadId={threadId} enableInspector={false}>
      <Questions />
      <CopilotChat threadId={threadId} />
    </CopilotKit>
  );
}

createRoot(document.getElementById("root")!).render(<Page />);
