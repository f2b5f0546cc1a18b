// An agent as Mastra's documents have it: its tools and its workflow suspend in their own ways.
//
//   approve NAME   a tool that suspends with a reason, until it is approved
//   choose NAME    a tool that suspends with a question and options, and says nothing of the answer
//   when NAME      a tool that suspends because it wants to know more
//   flow NAME      a workflow, of which one step suspends
//   gate NAME      a tool that requires approval

import { EventEncoder } from "@ag-ui/encoder";
import { MastraAgent } from "@ag-ui/mastra";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { effect, serve, told } from "../serve.mjs";

const inputSchema = z.object({ to: z.string() });
const outputSchema = z.object({ said: z.string() });
const approval = z.object({ approved: z.boolean() });
const reason = z.object({ reason: z.string() });

function sent(to, more) {
  effect("send", { to, ...more });
  return { said: `Sent to ${to}` };
}

const approve = createTool({
  id: "approve",
  description: "Sends a mail.",
  inputSchema,
  outputSchema,
  suspendSchema: reason,
  resumeSchema: approval,
  async execute({ to }, context) {
    const { resumeData: { approved } = {}, suspend } = context?.agent ?? {};
    if (!approved) return suspend?.({ reason: `Send to ${to}?` });
    return sent(to);
  },
});

const choose = createTool({
  id: "choose",
  description: "Sends a mail.",
  inputSchema,
  async execute({ to }, { agent: { resumeData, suspend } }) {
    if (!resumeData) return suspend({ question: `Send to ${to}?`, options: ["yes", "no"] });
    return resumeData === "yes" ? sent(to) : { said: `Not sent to ${to}` };
  },
});

const when = createTool({
  id: "when",
  description: "Sends a mail on a day.",
  inputSchema,
  suspendSchema: z.object({ question: z.string() }),
  resumeSchema: z.object({ day: z.string() }),
  async execute({ to }, { agent: { resumeData, suspend } }) {
    if (!resumeData?.day) return suspend({ question: `When shall I write to ${to}?` });
    return sent(to, { day: resumeData.day });
  },
});

const gate = createTool({
  id: "gate",
  description: "Sends a mail.",
  inputSchema,
  requireApproval: true,
  execute: async ({ to }) => sent(to),
});

const step = createStep({
  id: "step",
  inputSchema,
  outputSchema,
  suspendSchema: reason,
  resumeSchema: approval,
  async execute({ inputData: { to }, resumeData, suspend, bail }) {
    const { approved } = resumeData ?? {};
    if (approved === false) return bail({ said: `Not sent to ${to}` });
    if (!approved) return suspend({ reason: `Send to ${to}?` });
    return sent(to);
  },
});

const flow = createWorkflow({ id: "flow", description: "Sends a mail.", inputSchema, outputSchema }).then(step).commit();

/** Calls what the user has named, and then repeats what that has said. */
async function* parts(prompt) {
  const from = prompt.findLastIndex(({ role }) => role === "user");
  const [word, to] = prompt[from].content.map((part) => part.text ?? "").join("").trim().split(" ");
  const result = prompt.slice(from).filter(({ role }) => role === "tool").flatMap(({ content }) => content).at(-1);
  yield { type: "stream-start", warnings: [] };
  if (result) {
    const said = result.output.value?.said ?? result.output.value?.result?.said ?? JSON.stringify(result.output.value);
    yield { type: "text-start", id: "1" };
    yield { type: "text-delta", id: "1", delta: said };
    yield { type: "text-end", id: "1" };
  } else {
    const input = word === "flow" ? { inputData: { to } } : { to };
    yield { type: "tool-call", toolCallId: randomUUID(), toolName: word === "flow" ? "workflow-flow" : word, input: JSON.stringify(input) };
  }
  yield { type: "finish", finishReason: result ? "stop" : "tool-calls", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
}

const model = {
  specificationVersion: "v2",
  provider: "none",
  modelId: "none",
  supportedUrls: {},
  doStream: async ({ prompt }) => ({ stream: ReadableStream.from(parts(prompt)) }),
  async doGenerate() {
    throw new Error("this model only streams");
  },
};

const mastra = new Mastra({
  agents: { mailer: new Agent({ id: "mailer", name: "mailer", instructions: "Send mails.", model, tools: { approve, choose, when, gate }, workflows: { flow } }) },
  workflows: { flow },
  storage: new InMemoryStore({ id: "memory" }),
  logger: false,
});
const encoder = new EventEncoder();

serve((input, signal, response) => {
  const agent = new MastraAgent({ agent: mastra.getAgent("mailer"), resourceId: "anybody", threadId: input.threadId });
  return told(agent, input, signal, response, encoder);
});
