declare const threadId: string;

import { HttpAgent, runHttpRequest, transformHttpEventStream, type Interrupt, type RunAgentInput } from "@ag-ui/client";

class KeptAgent extends HttpAgent {
  connect({ threadId }: RunAgentInput) {
    const events = `${this.url}/threads/${encodeURIComponent(threadId)}/events`;
    return transformHttpEventStream(runHttpRequest(() => fetch(events, { headers: this.headers })));
  }
}

// The buttons of a question: the answers that its agent lists, or a yes and a no.
const yesAndNo = [{ label: "Yes", payload: { approved: true } }, { label: "No", payload: { approved: false } }];
const choicesOf = ({ metadata }: Interrupt) => (metadata?.answers ?? yesAndNo) as { label: string; payload: unknown }[];

const agent = new KeptAgent({ url: "/agui", threadId });
await agent.connectAgent();                     // calls connect
const resume = agent.pendingInterrupts.map((question) => {
  const [choice] = choicesOf(question);         // yours is the one whose button was pressed
  return { interruptId: question.id, status: "resolved" as const, payload: choice?.payload };
});
if (resume.length > 0) await agent.runAgent({ resume });   // an entry for each question
