// LangGraph's own server, and before it @ag-ui/langgraph's LangGraphAgent, as CopilotKit's runtime has it. Its RUN_STARTED
// and RUN_FINISHED carry other run ids; cold, it takes most of a minute.
//
//   OUTCOME=on     RUN_FINISHED tells interrupts as AG-UI 1.0 does; else CUSTOM on_interrupt alone does, as by default

import { LangGraphAgent } from "@ag-ui/langgraph";
import { EventEncoder } from "@ag-ui/encoder";
import { startServer } from "@langchain/langgraph-api/server";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { lastValueFrom } from "rxjs";
import { register } from "tsx/esm/api";
import { serve, told } from "../serve.mjs";

// Its own command line does the same. Of a graph in JavaScript it finds no schema, and asks itself for it in vain, for
// twenty seconds a run.
register();

const encoder = new EventEncoder();
// It keeps its threads in a folder below its working directory.
const cwd = await mkdtemp(path.join(tmpdir(), "langgraph-"));
const graph = path.join(import.meta.dirname, "graph.ts:graph");
const { host, cleanup } = await startServer({ port: 0, nWorkers: 4, host: "127.0.0.1", cwd, graphs: { agent: graph } });

const agentFor = (threadId) => new LangGraphAgent({
  deploymentUrl: `http://${host}`,
  graphId: "agent",
  threadId,
  emitInterruptOutcome: process.env.OUTCOME === "on",
});

// The first run has the graph's types compiled.
await lastValueFrom(agentFor(randomUUID()).run({
  threadId: randomUUID(), runId: randomUUID(), state: {}, messages: [{ id: randomUUID(), role: "user", content: "/say hello" }],
  tools: [], context: [], forwardedProps: {},
}));

serve((input, signal, response) => told(agentFor(input.threadId), input, signal, response, encoder), {
  async close() {
    await cleanup();
    await rm(cwd, { recursive: true, force: true });
  },
});
