import type { Page, Polled } from "../server/api";
import { at } from "../lib/base";
import { Unread } from "./Backlog";
import { span } from "./backlogs";
import { countWords, RATES, together, type NodeInfo, type Rate } from "./nodes";
import { onLink } from "../lib/route";
import { runsHref } from "./runfilters";
import { Sparkline } from "./Sparkline";
import { ops } from "../words/ops";

/** What shows more of what is counted. */
const HREFS: Partial<Record<Rate, string>> = { runs: runsHref({ since: "hour" }), failed: runsHref({ result: "error", since: "hour" }), asked: at("/inbox") };

/** What all servers have done lately. */
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
            const sum = countWords(series.reduce((all, n) => all + n, 0));
            const over = span(series.length * everyMs);
            const href = HREFS[rate];
            return (
              <div key={rate} data-rate={rate}>
                <dt>{href ? <a href={href} onClick={onLink}>{what}</a> : what}</dt>
                <dd>
                  {sum} <span className="hint">{ops.lastFor(over)}</span>
                  <Sparkline series={series} everyMs={everyMs} label={ops.series(what, sum, countWords(Math.max(0, ...series)), span(everyMs), over)} />
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </section>
  );
}
