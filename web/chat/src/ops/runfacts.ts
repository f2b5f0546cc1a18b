// What a run came from and what it has used, in words.

import type { RunInfo } from "../server/api";
import { visible } from "../../../react/lib/misleading";
import { ops } from "../words/ops";

function tokens(usage: NonNullable<RunInfo["usage"]>): string {
  const sum = (of: (one: (typeof usage)[number]) => number | undefined) => {
    const told = usage.map(of).filter((n) => n !== undefined);
    return told.length > 0 ? told.reduce((a, b) => a + b, 0) : undefined;
  };
  const [into, out] = [sum((one) => one.inputTokens), sum((one) => one.outputTokens)];
  const all = sum((one) => one.totalTokens ?? (one.inputTokens === undefined && one.outputTokens === undefined ? undefined : (one.inputTokens ?? 0) + (one.outputTokens ?? 0)));
  if (into === undefined && out === undefined) return all === undefined ? "" : String(all);
  return ops.tokensInOut(String(into ?? "?"), String(out ?? "?"));
}

/** What a run came from and what it has used, under their names, as far as that is known. */
export function moreFacts({ origin, parentRunId, usage }: Pick<RunInfo, "origin" | "parentRunId" | "usage">): Array<[name: string, what: string]> {
  const facts: Array<[string, string]> = [
    [ops.begunBy, origin && origin !== "user" ? (ops.origins[origin] ?? origin) : ""],
    [ops.cameFrom, visible(parentRunId ?? "")],
    [ops.tokens, usage ? tokens(usage) : ""],
  ];
  return facts.filter(([, what]) => what !== "");
}
