import type { Page, Polled } from "../server/api";
import { Unread } from "./Backlog";
import { span } from "./backlogs";
import { countWords, lastMinute, RATES, together, type NodeInfo } from "./nodes";
import { Sparkline } from "./Sparkline";
import { ops } from "../words/ops";

/** What all servers do, a minute. */
export function ActivitySection({ nodes }: { nodes: Polled<Page<NodeInfo>> }) {
  const items = nodes.data?.items ?? [];
  const everyMs = items.find((one) => one.everyMs)?.everyMs ?? 5_000;
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">{ops.activity}</h2>
      <Unread error={nodes.error} shown={nodes.data !== undefined} needs={ops.needsMetrics} />
      {items.length > 0 && (
        <dl className="counts rates" data-testid="rates">
          {RATES.map((rate) => {
            const what = ops.rates[rate];
            const series = together(items, rate);
            const now = countWords(lastMinute(series, everyMs));
            return (
              <div key={rate} data-rate={rate}>
                <dt>{what}</dt>
                <dd>
                  {now} <span className="hint">{ops.aMinute}</span>
                  <Sparkline series={series} everyMs={everyMs} label={ops.series(what, now, countWords(Math.max(0, ...series)), span(everyMs), span(series.length * everyMs))} />
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </section>
  );
}
