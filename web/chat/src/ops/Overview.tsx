import { usePolled, type Page, type Polled } from "../server/api";
import { at } from "../lib/base";
import { ActivitySection } from "./Activity";
import { WorkSection } from "./Backlog";
import type { TargetInfo, UpstreamInfo, WorkInfo } from "./backlogs";
import { useFailedOfHour } from "./failures";
import { coverage, failedOfAll, findings, isEverybody, missing, seesOthers } from "./health";
import type { NodeInfo, StoreInfo } from "./nodes";
import { QuestionsSection } from "./QuestionsSection";
import { onLink } from "../lib/route";
import { runsHref } from "./runfilters";
import { STATES, stateWords } from "./RunTable";
import { Figure } from "./StoreSection";
import { useMe } from "../server/who";
import { ops } from "../words/ops";

const EVERY_MS = 5_000;

/** Whether all is well, what waits, and what is done. */
export function Overview({ counts: delivered }: { counts: Polled<Record<string, number>> }) {
  const store = usePolled<StoreInfo>("/store", EVERY_MS);
  const nodes = usePolled<Page<NodeInfo>>("/nodes", EVERY_MS);
  const upstreams = usePolled<Page<UpstreamInfo>>("/upstreams", EVERY_MS);
  const targets = usePolled<Page<TargetInfo>>("/webhooks", EVERY_MS);
  const work = usePolled<Page<WorkInfo>>("/work", EVERY_MS);
  const me = useMe();
  const whole = me !== undefined && isEverybody(me);
  const failed = useFailedOfHour(seesOthers(me));
  const counts = delivered.data;
  const everybody = whole || !nodes.data ? undefined : failedOfAll(nodes.data.items);
  const known = {
    store: store.data,
    nodes: nodes.data?.items,
    counts,
    upstreams: upstreams.data?.items,
    targets: targets.data?.items,
    work: work.data?.items,
    failed: failed.data,
    everybody,
  };
  const found = findings(known);
  const lack = missing([delivered, store, nodes, upstreams, targets, work, failed]);
  const well = me ? lack || "all" : lack || "looking";
  const covered = coverage(known);
  const some = STATES.filter((state) => (counts?.[state] ?? 0) > 0);
  return (
    <>
      <div className="health" role="status" data-testid="health" data-well={found.length > 0 ? "no" : well}>
        {found.length === 0 && <p>{ops.well[well]}</p>}
        {found.length > 0 && (
          <ul>
            {found.map(({ href, words }) => (
              <li key={words} data-testid="finding">
                {href ? <a href={href} onClick={onLink}>{words}</a> : words}
              </li>
            ))}
          </ul>
        )}
        {covered && <div className="hint">{ops.covers(covered)}</div>}
      </div>
      <QuestionsSection />
      <WorkSection work={work} />
      <ActivitySection nodes={nodes} />
      <section aria-labelledby="record">
        <h2 id="record">{ops.record}</h2>
        <p className="hint">{ops.recordAbout}</p>
        {counts && some.length === 0 && <p className="hint">{ops.noneYet}</p>}
        <dl className="counts" data-testid="counts">
          {some.map((state) => (
            <Figure key={state} name={stateWords(state)} value={String(counts?.[state])} state={state} title={ops.dispatch(state)} href={state === "dead_letter" ? at("/ops/dead-letters") : whole ? runsHref({ state }) : undefined} />
          ))}
        </dl>
      </section>
      {nodes.error?.status === 403 && (
        <p className="hint" data-testid="needs-metrics">
          {ops.needsMetrics}
        </p>
      )}
    </>
  );
}
