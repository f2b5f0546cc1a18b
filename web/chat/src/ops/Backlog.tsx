import type { ReactNode } from "react";
import { usePolled, type ApiError, type Page, type Polled } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { failedPart, firstEvent, perMinute, span, targetState, upstreamState, type TargetInfo, type TargetState, type UpstreamInfo, type UpstreamState, type WorkInfo } from "./backlogs";
import { visible } from "../../../react/lib/misleading";
import type { Act } from "./RunTable";
import { StackedTable } from "../lib/StackedTable";
import { exactly } from "../lib/exactly";
import { staleWords, wordsFor } from "../lib/words";
import { When, wholly } from "./When";
import { ops } from "../words/ops";

const EVERY_MS = 5_000;

export function Unread({ error, shown }: { error?: ApiError; shown: boolean }) {
  if (!error) return null;
  return <p className="hint">{staleWords(error, shown)}</p>;
}

/** Whether the person has none of the scopes that it takes. */
export const isRefused = ({ error }: { error?: ApiError }) => error?.status === 403;

/** What waits for workers, by agent. */
export function WorkSection({ work }: { work: Polled<Page<WorkInfo>> }) {
  const busy = work.data?.items.filter(({ waiting, lag, pending }) => waiting + lag + pending > 0) ?? [];
  if (isRefused(work) || (busy.length === 0 && !work.error)) return null;
  return (
    <section aria-labelledby="work">
      <h2 id="work" title={ops.streamsAbout}>
        {ops.waitingForWorkers}
      </h2>
      <Unread error={work.error} shown={work.data !== undefined} />
      {busy.length > 0 && (
        <div className="scroll" tabIndex={0} role="group" aria-label={ops.streams}>
          <table>
            <thead>
              <tr>
                <th scope="col">{ops.agent}</th>
                <th scope="col">{ops.length}</th>
                <th scope="col">{ops.lag}</th>
                <th scope="col">{ops.pending}</th>
                <th scope="col">{ops.oldest}</th>
              </tr>
            </thead>
            <tbody>
              {busy.map((of) => (
                <tr key={of.agent} data-testid="work" data-agent={of.agent}>
                  <td>{of.agent ? <code>{of.agent}</code> : ops.default}</td>
                  <td>{of.waiting}</td>
                  <td>{of.lag}</td>
                  <td>{of.pending}</td>
                  <td>{of.waiting > 0 ? span(of.oldestMs) : ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** A name, and the address that it stands for. */
function Addressed({ name, url }: { name: string; url: string }) {
  return (
    <span className="addressed">
      <code>{name}</code>
      <span className="hint">{visible(url)}</span>
    </span>
  );
}

const UPSTREAM_KINDS: Partial<Record<UpstreamState, string>> = { well: "done", failing: "asked", down: "late" };

/** What is shown of an upstream; where there is no room beside one another, each under its title. */
const UPSTREAM_COLUMNS: Record<string, (of: UpstreamInfo) => ReactNode> = {
  [ops.agent]: (of) => <Addressed {...of} />,
  [ops.state]: (of) => {
    const state = upstreamState(of);
    return (
      <span>
        <span className={`tag ${UPSTREAM_KINDS[state] ?? ""}`}>{ops.upstreamStates[state]}</span>
      </span>
    );
  },
  [ops.upstream.inFlight]: ({ inFlight }) => inFlight,
  [ops.upstream.waiting]: ({ waiting }) => waiting,
  [ops.upstream.perMinute]: perMinute,
  [ops.upstream.failed]: failedPart,
  [ops.upstream.firstEvent]: firstEvent,
  [ops.upstream.repairs]: ({ repairs }) =>
    Object.keys(repairs).length > 0 && (
      <ul>
        {Object.entries(repairs).map(([kind, n]) => (
          <li key={kind}>
            <code>{kind}</code> {n}
          </li>
        ))}
      </ul>
    ),
  [ops.upstream.lastError]: ({ lastError }) =>
    lastError && (
      <span>
        {wordsFor(lastError.code).title} <code>{lastError.code}</code> <When at={lastError.at} />
      </span>
    ),
};

/** The agents that other servers serve. */
export function UpstreamSection() {
  const upstreams = usePolled<Page<UpstreamInfo>>("/upstreams", EVERY_MS);
  return (
    <section aria-labelledby="upstreams">
      <h2 id="upstreams">{ops.places.upstreams}</h2>
      {upstreams.data && upstreams.data.items.length > 0 && <p className="hint">{ops.upstreamsAbout}</p>}
      <Unread error={upstreams.error} shown={upstreams.data !== undefined} />
      {upstreams.data?.items.length === 0 && <p className="hint">{ops.noUpstreams}</p>}
      {upstreams.data && upstreams.data.items.length > 0 && (
        <StackedTable
          label={ops.places.upstreams}
          className="upstreams"
          columns={UPSTREAM_COLUMNS}
          items={upstreams.data.items}
          row={({ name }) => ({ key: name, "data-testid": "upstream", "data-upstream": name })}
        />
      )}
    </section>
  );
}

const KINDS: Partial<Record<TargetState, string>> = { disabled: "late", full: "late", failing: "late", trying: "asked", done: "done" };

/** The targets of webhooks, and how it goes with them. */
export function WebhookSection({ act }: { act: Act }) {
  const targets = usePolled<Page<TargetInfo>>("/webhooks", EVERY_MS);
  const enable: Act = async (...what) => {
    await act(...what);
    targets.refresh();
  };
  const columns = targetColumns(enable);
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">{ops.places.webhooks}</h2>
      <Unread error={targets.error} shown={targets.data !== undefined} />
      {targets.data?.items.length === 0 && <p className="hint">{ops.noTargets}</p>}
      {targets.data && targets.data.items.length > 0 && (
        <StackedTable
          label={ops.targets}
          className="targets"
          columns={columns}
          items={targets.data.items}
          row={(target) => ({ key: target.name, "data-testid": "target", "data-target": target.name, "data-state": targetState(target) })}
        />
      )}
      {targets.data?.items.some((target) => targetState(target) === "untold") && <p className="hint">{ops.untoldAbout}</p>}
      {targets.data?.partial && <p className="hint">{ops.partialMore}</p>}
    </section>
  );
}

/** What is shown of a target; `act` does something about one. */
const targetColumns = (act: Act): Record<string, (of: TargetInfo) => ReactNode> => ({
  [ops.target]: (of) => <Addressed {...of} />,
  [ops.state]: (target) => {
    const { owed, goneAt } = target;
    const state = targetState(target);
    return (
      <div className="target-state">
        <span className={`tag ${KINDS[state] ?? ""}`}>{ops.targetStates[state]}</span>
        {state === "failing" && (
          <span className="hint" dir="auto" title={owed?.failingSince && wholly(owed.failingSince)}>
            {owed?.failingSince && ops.began(exactly(owed.failingSince))}
            {owed?.lastError && `: ${visible(owed.lastError)}`}
          </span>
        )}
        {goneAt && <When at={goneAt} short={(time) => ops.gone(exactly(time))} />}
        <Guarded subject={`${target.name} ${state}`}>
          {state === "disabled" && (
            <button type="button" data-testid="enable-target" onClick={() => void act(ops.enable, "POST", `/webhooks/${encodeURIComponent(target.name)}/enable`)}>
              {ops.enable}
            </button>
          )}
        </Guarded>
      </div>
    );
  },
  [ops.backlog]: ({ owed }) => owed && ops.nOf(owed.waiting, owed.most),
  [ops.failedSoFar]: ({ owed }) => owed?.failed,
  [ops.dead]: ({ owed }) => owed?.dead,
});
