// A thread that is told to a newcomer comes as messages, which name their subagent by its id only. What it is called
// was said in the log, and a server may still have that.

import type { Position } from "../../../client";
import { readLog } from "./log";

/** The names of subagents in what the server retains of a thread's log up to a position, by id. None where it retains no beginning of it. */
export async function namesInLog(threadId: string, upTo: Position): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  await readLog(threadId, 0, upTo, (text) => {
    if (!text.includes('"SUBAGENT_STARTED"')) return;
    const { type, subagentRunId, name } = JSON.parse(text) as Record<string, unknown>;
    if (type === "SUBAGENT_STARTED" && typeof subagentRunId === "string" && typeof name === "string") names.set(subagentRunId, name);
  });
  return names;
}
