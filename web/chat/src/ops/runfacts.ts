// What a run came from and what it has used, in words.

import type { RunInfo } from "../server/api";
import { visible } from "../../../react/lib/misleading";
import { began } from "./runnames";
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

/** Who has asked, and who has answered or asked once more, under their names. */
export function people({ origin, user, begunBy, answersAnew }: Pick<RunInfo, "origin" | "user" | "begunBy" | "answersAnew">): Array<[name: string, who: string]> {
  if (answersAnew) return user ? [[ops.retriedName, user]] : [];
  const facts: Array<[string, string | undefined]> = [
    [ops.askedBy, begunBy ?? user],
    [ops.answeredBy, begunBy && origin === "resume" ? user : undefined],
  ];
  return facts.filter((one): one is [string, string] => Boolean(one[1]));
}

/** What a run came from and what it has used, under their names, as far as that is known. */
export function moreFacts(run: Pick<RunInfo, "origin" | "user" | "begunBy" | "answersAnew" | "parentRunId" | "usage">): Array<[name: string, what: string]> {
  const { parentRunId, usage } = run;
  const facts: Array<[string, string]> = [
    [ops.begunBy, began(run)],
    [ops.cameFrom, visible(parentRunId ?? "")],
    [ops.tokens, usage ? tokens(usage) : ""],
  ];
  return facts.filter(([, what]) => what !== "");
}
