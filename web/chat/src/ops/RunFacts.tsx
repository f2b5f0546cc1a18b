import type { RunInfo } from "../server/api";
import { ops } from "../words/ops";

function tokens(usage: NonNullable<RunInfo["usage"]>): string {
  const sum = (of: (one: (typeof usage)[number]) => number | undefined) => {
    const told = usage.map(of).filter((n) => n !== undefined);
    return told.length > 0 ? told.reduce((a, b) => a + b, 0) : undefined;
  };
  const [into, out] = [sum((one) => one.inputTokens), sum((one) => one.outputTokens)];
  const all = sum((one) => one.totalTokens ?? (one.inputTokens === undefined && one.outputTokens === undefined ? undefined : (one.inputTokens ?? 0) + (one.outputTokens ?? 0)));
  if (into === undefined && out === undefined) return all === undefined ? "" : ops.tokens(all);
  return ops.tokensInOut(String(into ?? "?"), String(out ?? "?"));
}

/** What a run came from and what it has used, as far as that is known. */
export function RunFacts({ run }: { run: RunInfo }) {
  const facts = [run.origin && run.origin !== "user" && ops.by(ops.origins[run.origin] ?? run.origin), run.parentRunId && ops.from(run.parentRunId), run.usage && tokens(run.usage)].filter(Boolean);
  if (facts.length === 0) return null;
  return (
    <div className="hint" data-testid="run-facts">
      {facts.join(" · ")}
    </div>
  );
}
