// What an input is before it leaves. Its members are the server's to check, which names each one that is wrong; only what
// AG-UI 1.0 calls malformed and frontends send all the same is put right here.

import type { RunAgentInput } from "@ag-ui/client";

/** Members whose content is the application's: a null in there is a value. */
const OPEN = new Set(["state", "forwardedProps", "parameters", "payload", "metadata"]);

/**
 * The input without the members that hold null, which must be absent instead: a null `state` (assistant-ui), a null
 * `subagentRunId` of a message, a null `payload`. The input itself is left as it is.
 */
export function outgoing(input: RunAgentInput): RunAgentInput {
  return described(input) as RunAgentInput;
}

function described(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(described);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, OPEN.has(name) ? member : described(member)]));
}
