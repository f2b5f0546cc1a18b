import type { Page, Polled } from "../server/api";
import { isRefused, Unread } from "./Backlog";
import { span } from "./backlogs";
import { countWords, RATES, together, type NodeInfo } from "./nodes";
import { Sparkline } from "./Sparkline";
import { ops } from "../words/ops";

/** How longer times are measured. */
const METRICS = "https://github.com/aguiws/aguiws/blob/main/docs/metrics.md";

/** What all servers have done lately. */
export function ActivitySection({ nodes }: { nodes: Polled<Page<NodeInfo>> }) {
  const items = nodes.data?.items ?? [];
  const known = RATES.some((rate) => together(items, rate).length > 0);
  if (isRefused(nodes) || (!known && !nodes.error)) return null;
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">{ops.activity}</h2>
      <p className="hint">
        {ops.activityAbout} <a href={METRICS} target="_blank" rel="noopener noreferrer">{ops.metrics}</a>
      </p>
      <Unread error={nodes.error} shown={nodes.data !== undefined} />
      {known && <Rates nodes={items} />}
    </section>
  );
}

/** What some servers have done lately, each thing with its line. */
export function Rates({ nodes }: { nodes: readonly NodeInfo[] }) {
  const everyMs = nodes.find((one) => one.everyMs)?.everyMs ?? 5_000;
  return (
    <dl className="counts rates" data-testid="rates">
      {RATES.map((rate) => {
        const what = ops.rates[rate];
        const series = together(nodes, rate);
        const n = series.reduce((all, one) => all + one, 0);
        const sum = countWords(n);
        const over = span(series.length * everyMs);
        return (
          <div key={rate} data-rate={rate} data-none={n === 0 || undefined}>
            <dt>{what}</dt>
            <dd>
              {sum} <span className="hint">{ops.lastFor(over)}</span>
              <Sparkline series={series} everyMs={everyMs} label={ops.series(what, sum, countWords(Math.max(0, ...series)), span(everyMs), over)} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
