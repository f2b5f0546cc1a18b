// What would be done a second time, because an earlier version of the conversation has done it.

import type { ToolCall } from "@ag-ui/client";
import { same } from "../../../react/forms/judgenumbers";
import { parse } from "../../../react/lib/json";
import { carriedArgs, refusedBy, type Told } from "./told";

interface Done {
  id: string;
  name: string;
  /** As proposed; undefined: they are too long to be told. */
  arguments?: string;
}

/** What was taken out of the conversation together, for what it has done. */
export interface Carried {
  /** What has a result in it; undefined: nothing has. */
  calls?: readonly Done[];
}

type Decided = ReadonlyMap<string, Told>;

/** The calls of branches that were carried out, the latest first. What was refused has an agent's word for a result at most. */
export const carriedOut = (branches: readonly Carried[], decided: Decided): Done[] =>
  branches.flatMap(({ calls = [] }) => calls.toReversed()).filter(({ id }) => !refused(decided.get(id)));

const refused = (told: Told | undefined) => told !== undefined && refusedBy(told) !== undefined;

/**
 * The latest call that did what this one would do: by the same tool, with the same arguments. `known`: what it was carried
 * out with; otherwise it is the latest of which nobody can say that here.
 */
export function doneBefore({ function: { name, arguments: given } }: ToolCall, branches: readonly Carried[], decided: Decided): { id: string; known: boolean } | undefined {
  const done = carriedOut(branches, decided).filter((call) => call.name === name);
  const argsOf = ({ id, arguments: proposed }: Done) => {
    const told = decided.get(id);
    return told && carriedArgs(proposed, told);
  };
  const found = done.find((call) => sameArgs(argsOf(call), given)) ?? done.find((call) => argsOf(call) === undefined);
  return found && { id: found.id, known: argsOf(found) !== undefined };
}

function sameArgs(one: string | undefined, other: string): boolean {
  if (one === undefined) return false;
  try {
    return same(parse(one || "{}"), parse(other || "{}"));
  } catch {
    return one === other;
  }
}
