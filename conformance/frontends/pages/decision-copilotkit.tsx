// CopilotKit asks, by either way to the server, and <Decision> draws its questions.

import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import { Questions } from "../snippets/decisions-copilotkit";
import { agent, threadId } from "./agent";

const agents = { default: agent };
const way = new URLSearchParams(location.search).get("by") === "WebSocketAgent" ? { agents__unsafe_dev_only: agents } : { runtimeUrl: "/copilotkit" };

export default function Chat() {
  return (
    <CopilotKit {...way} threadId={threadId} enableInspector={false}>
      <Questions />
      <CopilotChat threadId={threadId} />
    </CopilotKit>
  );
}
