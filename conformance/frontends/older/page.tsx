// A page as users of older CopilotKit have it: its questions are drawn from the value of an event, and answered by that
// event's resolve.

import { CopilotChat, CopilotKitProvider, useAgent, useInterrupt } from "copilotkit";
import "copilotkit.css";
import { createRoot } from "react-dom/client";
import { Approval } from "../pages/approval";

const address = new URLSearchParams(location.search);
const threadId = address.get("thread")!;
const dialect = address.get("dialect");

function Page() {
  return (
    <CopilotKitProvider runtimeUrl={address.get("runtime")!} properties={dialect ? { interruptDialect: dialect } : {}}>
      <Questions />
      <Watched />
      <CopilotChat threadId={threadId} />
    </CopilotKitProvider>
  );
}

function Questions() {
  useInterrupt({
    render: ({ event, resolve }) => (
      <Approval interrupt={event.value} resolve={(payload) => void resolve(payload)} cancel={() => void resolve(null)} />
    ),
  });
  return null;
}

/** Lets the tests see what the page holds. */
function Watched() {
  const { agent } = useAgent({ agentId: "default" });
  Object.assign(window, { agent });
  return null;
}

createRoot(document.getElementById("root")!).render(<Page />);
