import { usePolled, type DecisionInfo, type Page } from "../server/api";
import { visible } from "../../../react/lib/misleading";
import { between, wayOf, type RunOnRecord } from "./runway";
import { locale } from "../words";
import { ops } from "../words/ops";

const EVERY_MS = 5_000;

/** The way of one run through its states. `across`: it may be of another namespace. */
export function RunTimeline({ run, across }: { run: RunOnRecord; across: boolean }) {
  const of = across ? `&namespace=${encodeURIComponent(run.namespace)}` : "";
  const { data } = usePolled<Page<DecisionInfo>>(`/threads/${encodeURIComponent(run.threadId)}/decisions?limit=200${of}`, EVERY_MS);
  const way = wayOf(run, data?.items);
  return (
    <ol className="timeline" data-testid="timeline" aria-label={ops.way}>
      {way.map(({ at, words, detail, tone }, i) => {
        const before = way.slice(0, i).findLast((one) => one.at)?.at;
        return (
          <li key={i} data-tone={tone}>
            <strong dir="auto">{visible(words)}</strong>
            {at && (
              <time className="hint" dateTime={at} title={at}>
                {new Date(at).toLocaleString(locale)}
                {between(before, at) && ` ${ops.later(between(before, at))}`}
              </time>
            )}
            {detail && (
              <span className="hint" dir="auto">
                {visible(detail)}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
