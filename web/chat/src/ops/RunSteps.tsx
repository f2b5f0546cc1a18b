import type { RunInfo } from "../server/api";
import { ArgFields } from "../../../react/decision/ArgFields";
import { Folded } from "../../../react/lib/Folded";
import { visible } from "../../../react/lib/misleading";
import { lasting } from "./runway";
import type { Called } from "./turn";
import { ops } from "../words/ops";

/** The steps that a run has executed, with how long they took, and the tools that it has called. */
export function RunSteps({ run: { steps = [], moreSteps }, calls }: { run: RunInfo; calls: readonly Called[] }) {
  if (steps.length === 0 && calls.length === 0) return null;
  return (
    <section className="of-run" aria-labelledby="run-steps">
      <h4 id="run-steps">{ops.stepsAndTools}</h4>
      <ul className="run-steps" data-testid="run-steps">
        {steps.map(({ name, count, failed, tookMs, firstAt }) => (
          <li key={name}>
            <code>{visible(name)}</code> {count > 1 && `× ${count} `}
            {failed && <span className="tag late">{ops.stepFailed(failed)}</span>} {firstAt && <span className="hint">{lasting(tookMs ?? 0)}</span>}
          </li>
        ))}
        {moreSteps && <li className="hint">{ops.more(moreSteps)}</li>}
        {calls.map(({ id, name, given, result }) => (
          <li key={id}>
            <details data-testid="run-call">
              <summary>
                <code>{visible(name)}</code> <span className="hint">{result === undefined ? ops.noResult : ops.argumentsAndResult}</span>
              </summary>
              {given !== "" && <ArgFields text={given} hook="run-call-args" label={ops.argumentsOf(name)} compact />}
              {result !== undefined && (
                <>
                  <p className="hint">{ops.result}</p>
                  {result.startsWith("{") ? <ArgFields text={result} hook="run-call-result" label={ops.result} compact /> : <Folded text={result} hook="run-call-result" label={ops.result} />}
                </>
              )}
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}
