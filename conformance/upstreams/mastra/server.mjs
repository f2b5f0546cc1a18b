// Mastra with @ag-ui/mastra's MastraAgent before it, and a model of a few lines. It tells its interrupts twice, by CUSTOM
// on_interrupt and by the outcome, and of several answers it takes one.

import { EventEncoder } from "@ag-ui/encoder";
import { MastraAgent } from "@ag-ui/mastra";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { command, effect, numbers, pause, serve, told } from "../serve.mjs";

const send = createTool({
  id: "send",
  description: "Sends a mail.",
  inputSchema: z.object({ to: z.string() }),
  suspendSchema: z.object({ message: z.string() }),
  resumeSchema: z.object({ approved: z.boolean() }),
  async execute({ to }, { agent: { resumeData, suspend } }) {
    if (!resumeData) return suspend({ message: `Send to ${to}?` });
    if (resumeData.approved) effect("send", { to });
    return { said: resumeData.approved ? `Sent to ${to}.` : `Not sent to ${to}.` };
  },
});

const model = {
  specificationVersion: "v2",
  provider: "none",
  modelId: "none",
  supportedUrls: {},
  doStream: async ({ prompt, abortSignal }) => ({ stream: ReadableStream.from(parts(prompt, abortSignal)) }),
  async doGenerate() {
    throw new Error("this model only streams");
  },
};

async function* parts(prompt, signal) {
  const last = prompt.findLastIndex(({ role }) => role === "user");
  const { word, count, ms, text, to } = command(prompt[last].content.map((part) => part.text ?? "").join(""));
  const results = prompt.slice(last).filter(({ role }) => role === "tool").flatMap(({ content }) => content);
  yield { type: "stream-start", warnings: [] };
  if (word === "fail") throw new Error(text);
  const calls = to && results.length === 0;
  if (calls) {
    for (const name of to) yield { type: "tool-call", toolCallId: randomUUID(), toolName: "send", input: JSON.stringify({ to: name }) };
  } else {
    const words = to ? [results.map(({ output }) => output.value?.said ?? JSON.stringify(output.value)).join(" ")] : word === "slow" ? numbers(count) : [text];
    const id = randomUUID();
    yield { type: "text-start", id };
    for (const delta of words) {
      if (signal?.aborted) return;
      yield { type: "text-delta", id, delta };
      if (ms) await pause(ms);
    }
    yield { type: "text-end", id };
  }
  yield { type: "finish", finishReason: calls ? "tool-calls" : "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
}

const mastra = new Mastra({
  agents: { mailer: new Agent({ id: "mailer", name: "mailer", instructions: "Send mails.", model, tools: { send } }) },
  storage: new InMemoryStore({ id: "memory" }),
  logger: false,
});
const encoder = new EventEncoder();

serve((input, signal, response) => {
  const agent = new MastraAgent({ agent: mastra.getAgent("mailer"), resourceId: "anybody", threadId: input.threadId });
  return told(agent, input, signal, response, encoder);
});
