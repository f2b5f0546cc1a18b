import type { Page, Polled } from "../server/api";
import { Unread } from "./Backlog";
import { span } from "./backlogs";
import { countWords, lastMinute, RATES, together, type NodeInfo } from "./nodes";
import { Sparkline } from "./Sparkline";

/** What all servers do, a minute. */
export function ActivitySection({ nodes }: { nodes: Polled<Page<NodeInfo>> }) {
  const items = nodes.data?.items ?? [];
  const everyMs = items.find((one) => one.everyMs)?.everyMs ?? 5_000;
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <Unread error={nodes.error} shown={nodes.data !== undefined} needs="the scope metrics, or admin with tenants" />
      {items.length > 0 && (
        <dl className="counts rates" data-testid="rates">
          {RATES.map(([rate, words]) => {
            const series = together(items, rate);
            const now = countWords(lastMinute(series, everyMs));
            return (
              <div key={rate} data-rate={rate}>
                <dt>{words}</dt>
                <dd>
                  {now} <span className="hint">a minute</span>
                  <Sparkline series={series} everyMs={everyMs} label={`${words}: ${now} a minute, ${countWords(Math.max(0, ...series))} at most in ${span(everyMs)}, over ${span(series.length * everyMs)}`} />
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </section>
  );
}
