import type { ReactNode } from "react";
import { usePolled, type ApiError, type Page, type Polled } from "../server/api";
import { Guarded } from "../../../react/lib/Guarded";
import { failedPart, firstEvent, perMinute, span, targetState, type TargetInfo, type TargetState, type UpstreamInfo, type WorkInfo } from "./backlogs";
import type { Act } from "./RunTable";
import { StackedTable } from "../lib/StackedTable";
import { ago } from "../../../react/lib/time";
import { staleWords, wordsFor } from "../lib/words";

const EVERY_MS = 5_000;

export function Unread({ error, shown, needs }: { error?: ApiError; shown: boolean; needs: string }) {
  if (!error) return null;
  return <p className="hint">{error.status === 403 ? `This is told to ${needs}.` : staleWords(error, shown)}</p>;
}

/** What waits for workers, by agent. */
export function WorkSection({ work }: { work: Polled<Page<WorkInfo>> }) {
  const busy = work.data?.items.filter(({ waiting, lag, pending }) => waiting + lag + pending > 0) ?? [];
  return (
    <section aria-labelledby="work">
      <h2 id="work">Waiting for workers</h2>
      <p className="hint">Streams that deliver the runs of all tenants, by agent of this server.</p>
      <Unread error={work.error} shown={work.data !== undefined} needs="the scope metrics, or admin with tenants" />
      {work.data && busy.length === 0 && <p className="hint">Nothing waits.</p>}
      {busy.length > 0 && (
        <div className="scroll" tabIndex={0} role="group" aria-label="Streams">
          <table>
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col">Length</th>
                <th scope="col">Lag</th>
                <th scope="col">Pending</th>
                <th scope="col">Oldest</th>
              </tr>
            </thead>
            <tbody>
              {busy.map((of) => (
                <tr key={of.agent} data-testid="work" data-agent={of.agent}>
                  <td>{of.agent ? <code>{of.agent}</code> : "default"}</td>
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

/** What is shown of an upstream; where there is no room beside one another, each under its title. */
const UPSTREAM_COLUMNS: Record<string, (of: UpstreamInfo) => ReactNode> = {
  Agent: ({ name, url }) => <code title={url}>{name}</code>,
  "In flight": ({ inFlight }) => inFlight,
  Waiting: ({ waiting }) => waiting,
  "A minute": perMinute,
  Failed: failedPart,
  "First event, p50 / p95": firstEvent,
  Repairs: ({ repairs }) =>
    Object.keys(repairs).length > 0 && (
      <ul>
        {Object.entries(repairs).map(([kind, n]) => (
          <li key={kind}>
            <code>{kind}</code> {n}
          </li>
        ))}
      </ul>
    ),
  "Last error": ({ lastError }) =>
    lastError && (
      <span>
        <code title={wordsFor(lastError.code).title}>{lastError.code}</code> <span className="hint">{ago(lastError.at)}</span>
      </span>
    ),
};

/** The agents that other servers serve. */
export function UpstreamSection() {
  const upstreams = usePolled<Page<UpstreamInfo>>("/upstreams", EVERY_MS);
  return (
    <section aria-labelledby="upstreams">
      <h2 id="upstreams">Upstreams</h2>
      <p className="hint">Agents that other servers serve, as this server has met them in the last five minutes. Repairs are counted since it began.</p>
      <Unread error={upstreams.error} shown={upstreams.data !== undefined} needs="the scope metrics, or admin with tenants" />
      {upstreams.data?.items.length === 0 && <p className="hint">This server has none: its agents are its own.</p>}
      {upstreams.data && upstreams.data.items.length > 0 && (
        <StackedTable
          label="Upstreams"
          className="upstreams"
          columns={UPSTREAM_COLUMNS}
          items={upstreams.data.items}
          row={({ name }) => ({ key: name, "data-testid": "upstream", "data-upstream": name })}
        />
      )}
    </section>
  );
}

const KINDS: Partial<Record<TargetState, string>> = { disabled: "late", full: "late", failing: "late", "trying again": "asked", "up to date": "done" };

/** The targets of webhooks, and how it goes with them. */
export function WebhookSection({ act }: { act: Act }) {
  const targets = usePolled<Page<TargetInfo>>("/webhooks", EVERY_MS);
  const enable: Act = async (...what) => {
    await act(...what);
    targets.refresh();
  };
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <Unread error={targets.error} shown={targets.data !== undefined} needs="the scope admin" />
      {targets.data?.items.length === 0 && <p className="hint">No targets are configured.</p>}
      {targets.data && targets.data.items.length > 0 && (
        <div className="scroll" tabIndex={0} role="group" aria-label="Targets">
          <table>
            <thead>
              <tr>
                <th scope="col">Target</th>
                <th scope="col">State</th>
                <th scope="col">Backlog</th>
                <th scope="col">Failed so far</th>
                <th scope="col">Dead</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {targets.data.items.map((target) => (
                <Target key={target.name} target={target} act={enable} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {targets.data?.partial && <p className="hint">A part of the store does not answer: there may be more.</p>}
    </section>
  );
}

function Target({ target, act }: { target: TargetInfo; act: Act }) {
  const { owed } = target;
  const state = targetState(target);
  return (
    <tr data-testid="target" data-target={target.name} data-state={state}>
      <td>
        <code title={target.url}>{target.name}</code>
      </td>
      <td>
        <span className={`tag ${KINDS[state] ?? ""}`}>{state}</span>
        {state === "failing" && <span className="hint"> began {ago(owed?.failingSince)}{owed?.lastError && `: ${owed.lastError}`}</span>}
        {target.goneAt && <span className="hint"> it answered 410 {ago(target.goneAt)}</span>}
      </td>
      <td>{owed && `${owed.waiting} of ${owed.most}`}</td>
      <td>{owed?.failed}</td>
      <td>{owed?.dead}</td>
      <td>
        <Guarded subject={`${target.name} ${state}`}>
          {state === "disabled" && (
            <button type="button" data-testid="enable-target" onClick={() => void act("Enable", "POST", `/webhooks/${encodeURIComponent(target.name)}/enable`)}>
              Enable
            </button>
          )}
        </Guarded>
      </td>
    </tr>
  );
}
