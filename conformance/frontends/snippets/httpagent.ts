declare const threadId: string;

import { HttpAgent, runHttpRequest, transformHttpEventStream, type RunAgentInput } from "@ag-ui/client";

class KeptAgent extends HttpAgent {
  connect({ threadId }: RunAgentInput) {
    const events = `${this.url}/threads/${encodeURIComponent(threadId)}/events`;
    return transformHttpEventStream(runHttpRequest(() => fetch(events)));
  }
}

const agent = new KeptAgent({ url: "/agui", threadId });
await agent.connectAgent();                     // calls connect
const [question] = agent.pendingInterrupts;
if (question) {
  await agent.runAgent({ resume: [{ interruptId: question.id, status: "resolved", payload: { approved: true } }] });
}
