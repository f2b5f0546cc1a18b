// What would be done a second time, because an earlier version of the conversation has done it.

import type { ToolCall } from "@ag-ui/client";
import { same } from "../../../react/forms/judgenumbers";
import { parse } from "../../../react/lib/json";
import { approvedArgs, type Told } from "./told";

/** What was taken out of the conversation together, for what it has done. */
export interface Carried {
  /** What was carried out in it, and stands. Servers of before do not say it. */
  calls?: ReadonlyArray<{ id: string; name: string; arguments?: string }>;
}

/** The latest call of the branches that did what this one would do: by the same tool, with the same arguments as those that were approved. */
export function doneBefore({ function: { name, arguments: given } }: ToolCall, branches: readonly Carried[], decided: ReadonlyMap<string, Told>): { id: string } | undefined {
  const does = (args: string | undefined, told: Told | undefined) => args !== undefined && sameArgs(told ? approvedArgs(args, told) : args, given);
  return branches.flatMap(({ calls = [] }) => calls.toReversed()).find((call) => call.name === name && does(call.arguments, decided.get(call.id)));
}

function sameArgs(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return same(parse(one), parse(other));
  } catch {
    return false;
  }
}
