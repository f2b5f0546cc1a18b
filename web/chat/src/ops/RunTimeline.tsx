import type { DecisionInfo } from "../server/api";
import { visible } from "../../../react/lib/misleading";
import { between, wayOf, type RunOnRecord } from "./runway";
import { When } from "./When";
import { ops } from "../words/ops";

/** The way of one run through its states. */
export function RunTimeline({ run, decisions }: { run: RunOnRecord; decisions: readonly DecisionInfo[] }) {
  const way = wayOf(run, decisions);
  return (
    <section className="of-run" aria-labelledby="run-way">
      <h4 id="run-way">{ops.way}</h4>
      <ol className="timeline" data-testid="timeline">
        {way.map(({ at, words, detail, tone }, i) => {
          const before = way.slice(0, i).findLast((one) => one.at)?.at;
          return (
            <li key={i} data-tone={tone}>
              <strong dir="auto">{visible(words)}</strong>
              {at && <When at={at} after={between(before, at) && ops.later(between(before, at))} />}
              {detail && (
                <span className="hint" dir="auto">
                  {visible(detail)}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
