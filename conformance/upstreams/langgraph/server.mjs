// LangGraph's own server, and before it @ag-ui/langgraph's LangGraphAgent, as CopilotKit's runtime has it. Its RUN_STARTED
// and RUN_FINISHED carry other run ids.
//
//   OUTCOME=on     RUN_FINISHED tells interrupts as AG-UI 1.0 does; else CUSTOM on_interrupt alone does, as by default
//   GRAPHS=FILE    the graphs: those of graph.mjs, or of asking.mjs, of which one has a name of its own
//   LANGGRAPH_PORT LangGraph's own server listens there; by default anywhere
//   ABORT=off      who closes a request does not stop the graph, as by default; a POST to /stop does, {"threadId","runId"}

import { LangGraphAgent } from "@ag-ui/langgraph";
import { EventEncoder } from "@ag-ui/encoder";
import { startServer } from "@langchain/langgraph-api/server";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { asked, command, serve, told } from "../serve.mjs";

const encoder = new EventEncoder();
// It keeps its threads in a folder below its working directory.
const cwd = await mkdtemp(path.join(tmpdir(), "langgraph-"));
const file = path.join(import.meta.dirname, process.env.GRAPHS ?? "graph.mjs");
const graphs = { agent: `${file}:graph`, ...(process.env.GRAPHS && { reviewed: `${file}:reviewed` }) };
const { host, cleanup } = await startServer({ port: Number(process.env.LANGGRAPH_PORT ?? 0), nWorkers: 4, host: "127.0.0.1", cwd, graphs });

/** Knows the graph's channels: its server has TypeScript find them in every process anew, which takes most of a minute. */
class Agent extends LangGraphAgent {
  async getSchemaKeys() {
    return { input: ["messages", ...this.constantSchemaKeys], output: ["messages", ...this.constantSchemaKeys], config: [], context: [] };
  }
}

const running = new Map();

serve(async (input, signal, response) => {
  const agent = new Agent({
    deploymentUrl: `http://${host}`,
    graphId: graphs.reviewed && asked(input.messages).startsWith("review ") ? "reviewed" : "agent",
    threadId: input.threadId,
    emitInterruptOutcome: process.env.OUTCOME === "on",
  });
  running.set(input.runId, agent);
  const aborts = process.env.ABORT !== "off" && !command(asked(input.messages)).heedless;
  await told(agent, input, signal, response, encoder, aborts);
}, {
  stop({ runId }) {
    running.get(runId)?.abortRun();
  },
  async close() {
    await cleanup();
    await rm(cwd, { recursive: true, force: true });
  },
});
