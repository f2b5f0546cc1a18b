// CopilotKit asks, and <Decision> draws its questions.

import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import { Questions } from "../snippets/decisions-copilotkit";
import { agent, threadId } from "./agent";

const agents = { default: agent };

export default function Chat() {
  return (
    <CopilotKit agents__unsafe_dev_only={agents} threadId={threadId}>
      <Questions agent={agent} />
      <CopilotChat threadId={threadId} />
    </CopilotKit>
  );
}
