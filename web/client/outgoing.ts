// What an input is before it leaves: no more than what AG-UI 1.0, which it declares, knows, and without what 1.0 calls
// malformed and frontends send all the same.

import * as agui from "@ag-ui/client";
import type { RunAgentInput } from "@ag-ui/client";
import { TransportError } from "./errors.js";

// 0.0.59 has no such check: there the server says what is wrong. Webpack refuses `agui.member` of a member that is not there, and takes this.
const { enforceOutgoingInput } = agui as { enforceOutgoingInput?: typeof agui.enforceOutgoingInput };

/** Members whose content is the application's: a null in there is a value. */
const OPEN = new Set(["state", "forwardedProps", "parameters", "payload", "metadata"]);

/**
 * The input without the members that hold null, which must be absent instead: a null `state` (assistant-ui), a null
 * `subagentRunId` of a message, a null `payload`. Then through the client's own checks, where the base class has some, as its
 * HttpAgent does: members and roles that nobody knows are left out with a warning. The input itself is left as it is.
 * Throws a TransportError that names what is malformed.
 */
export function outgoing(input: RunAgentInput): RunAgentInput {
  const described = withoutNulls(input) as RunAgentInput;
  if (!enforceOutgoingInput) return described;
  try {
    return enforceOutgoingInput(described);
  } catch (error) {
    throw new TransportError("invalid_input", faults(error));
  }
}

/** One line for each member that is wrong, named by a JSON pointer, if the error tells them apart. */
function faults(error: unknown): string {
  const { issues } = error as { issues?: Array<{ path: PropertyKey[]; message: string }> };
  if (!Array.isArray(issues)) return String(error);
  return issues.map(({ path, message }) => `${path.map((part) => `/${String(part)}`).join("")}: ${message}`).join("\n");
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, OPEN.has(name) ? member : withoutNulls(member)]));
}
