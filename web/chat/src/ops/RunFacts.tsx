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

/** What a run came from, which steps it ran and what it has used, as far as that is known. */
export function RunFacts({ run }: { run: RunInfo }) {
  const steps = (run.steps ?? []).map(({ name, count, failed }) => `${name}${count > 1 ? ` × ${count}` : ""}${failed ? ` ${ops.stepFailed(failed)}` : ""}`);
  if (run.moreSteps) steps.push(ops.more(run.moreSteps));
  const facts = [
    run.origin && ops.by(ops.origins[run.origin] ?? run.origin),
    run.parentRunId && ops.from(run.parentRunId),
    steps.length > 0 && ops.steps(steps.join(", ")),
    run.usage && tokens(run.usage),
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return (
    <div className="hint" data-testid="run-facts">
      {facts.join(" · ")}
    </div>
  );
}
