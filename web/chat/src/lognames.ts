// A thread that is told to a newcomer comes as messages, which name their subagent by its id only. What it is called
// was said in the log, and a server may still have that.

import type { Position } from "../../client";
import { bearer } from "./session";

/** More of a log than this is not read for the sake of names, in characters. */
const CHARACTERS = 16 << 20;

/**
 * The names of subagents in what the server retains of a thread's log up to a position, by id. None where it retains
 * no beginning of it, or has no log to show: a name is nothing to fail for.
 */
export async function namesInLog(threadId: string, { epoch, seq }: Position): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const token = bearer();
  const path = `/agui/threads/${encodeURIComponent(threadId)}/events?after=${encodeURIComponent(`${epoch}:0`)}`;
  try {
    const response = await fetch(path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    const lines = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!lines) return names;
    if (!response.ok || response.headers.get("Aguiws-Recovered") !== "true") {
      await lines.cancel();
      return names;
    }
    let rest = "";
    let read = 0;
    for (let here = 0; here < seq && read < CHARACTERS; ) {
      const { done, value } = await lines.read();
      if (done) break;
      read += value.length;
      const whole = (rest + value).split("\n");
      rest = whole.pop()!;
      for (const line of whole) {
        if (line.startsWith("id: ")) here = Number(line.slice(line.lastIndexOf(":") + 1));
        else if (line.startsWith("data: ") && line.includes('"SUBAGENT_STARTED"')) note(line.slice(6), names);
      }
    }
    // In the middle of a run the log goes on, and others follow that.
    await lines.cancel();
  } catch {
    // Those that were found are names all the same.
  }
  return names;
}

function note(text: string, names: Map<string, string>): void {
  const { type, subagentRunId, name } = JSON.parse(text) as Record<string, unknown>;
  if (type === "SUBAGENT_STARTED" && typeof subagentRunId === "string" && typeof name === "string") names.set(subagentRunId, name);
}
