import { usePolled, type Page, type Polled } from "../server/api";
import { ActivitySection } from "./Activity";
import { WorkSection } from "./Backlog";
import type { TargetInfo, UpstreamInfo, WorkInfo } from "./backlogs";
import { findings, missing } from "./health";
import type { NodeInfo, StoreInfo } from "./nodes";
import { QuestionsSection } from "./QuestionsSection";
import { onLink } from "../lib/route";
import { STATES, stateWords } from "./RunTable";
import { Figure } from "./StoreSection";
import { ops } from "../words/ops";

const EVERY_MS = 5_000;

/** Whether all is well, what waits, and what is done. */
export function Overview({ counts: delivered }: { counts: Polled<Record<string, number>> }) {
  const store = usePolled<StoreInfo>("/store", EVERY_MS);
  const nodes = usePolled<Page<NodeInfo>>("/nodes", EVERY_MS);
  const upstreams = usePolled<Page<UpstreamInfo>>("/upstreams", EVERY_MS);
  const targets = usePolled<Page<TargetInfo>>("/webhooks", EVERY_MS);
  const work = usePolled<Page<WorkInfo>>("/work", EVERY_MS);
  const counts = delivered.data;
  const found = findings({ store: store.data, nodes: nodes.data?.items, counts, upstreams: upstreams.data?.items, targets: targets.data?.items, work: work.data?.items });
  const lack = missing([delivered, store, nodes, upstreams, targets, work]);
  const some = STATES.filter((state) => (counts?.[state] ?? 0) > 0);
  return (
    <>
      <div className="health" role="status" data-testid="health" data-well={(lack === "" || lack === "part") && found.length === 0}>
        {found.length === 0 && <p>{ops.well[lack || "all"]}</p>}
        {found.length > 0 && (
          <ul>
            {found.map(({ href, words }) => (
              <li key={words} data-testid="finding">
                <a href={href} onClick={onLink}>
                  {words}
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
      <QuestionsSection />
      <ActivitySection nodes={nodes} />
      <section aria-labelledby="dispatches">
        <h2 id="dispatches">{ops.dispatches}</h2>
        <p className="hint">{ops.dispatchesAbout}</p>
        {counts && some.length === 0 && <p className="hint">{ops.noneYet}</p>}
        <dl className="counts" data-testid="counts">
          {some.map((state) => (
            <Figure key={state} name={stateWords(state)} value={String(counts?.[state])} state={state} />
          ))}
        </dl>
      </section>
      <WorkSection work={work} />
    </>
  );
}
