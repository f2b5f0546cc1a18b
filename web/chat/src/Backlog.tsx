import { usePolled, type ApiError, type Page } from "./api";
import { Guarded } from "./Guarded";
import { failedPart, firstEvent, perMinute, span, targetState, type TargetInfo, type TargetState, type UpstreamInfo, type WorkInfo } from "./backlogs";
import type { Act } from "./RunTable";
import { ago } from "./time";
import { staleWords, wordsFor } from "./words";

const EVERY_MS = 5_000;

function Unread({ error, shown, needs }: { error?: ApiError; shown: boolean; needs: string }) {
  if (!error) return null;
  return <p className="hint">{error.status === 403 ? `This is told to ${needs}.` : staleWords(error, shown)}</p>;
}

/** What waits for workers, by agent. */
export function WorkSection() {
  const work = usePolled<Page<WorkInfo>>("/work", EVERY_MS);
  return (
    <section aria-labelledby="work">
      <h2 id="work">Waiting for workers</h2>
      <p className="hint">Of all tenants, by agent of this server: the streams that its runs are delivered by.</p>
      <Unread error={work.error} shown={work.data !== undefined} needs="the scope metrics, or admin with tenants" />
      {work.data && (
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
              {work.data.items.map((of) => (
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

/** The agents that other servers serve. A server without any does not speak of them. */
export function UpstreamSection() {
  const upstreams = usePolled<Page<UpstreamInfo>>("/upstreams", EVERY_MS);
  if (upstreams.data ? upstreams.data.items.length === 0 : upstreams.error?.status === 403) return null;
  return (
    <section aria-labelledby="upstreams">
      <h2 id="upstreams">Upstreams</h2>
      <p className="hint">Agents that other servers serve, as this server has met them in the last five minutes. Repairs are counted since it began.</p>
      <Unread error={upstreams.error} shown={upstreams.data !== undefined} needs="the scope metrics, or admin with tenants" />
      {upstreams.data && (
        <div className="scroll" tabIndex={0} role="group" aria-label="Upstreams">
          <table>
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col">In flight</th>
                <th scope="col">Waiting</th>
                <th scope="col">A minute</th>
                <th scope="col">Failed</th>
                <th scope="col">First event, p50 / p95</th>
                <th scope="col">Repairs</th>
                <th scope="col">Last error</th>
              </tr>
            </thead>
            <tbody>
              {upstreams.data.items.map((of) => (
                <tr key={of.name} data-testid="upstream" data-upstream={of.name}>
                  <td>
                    <code title={of.url}>{of.name}</code>
                  </td>
                  <td>{of.inFlight}</td>
                  <td>{of.waiting}</td>
                  <td>{perMinute(of)}</td>
                  <td>{failedPart(of)}</td>
                  <td>{firstEvent(of)}</td>
                  <td>
                    {Object.entries(of.repairs).map(([kind, n]) => (
                      <div key={kind}>
                        <code>{kind}</code> {n}
                      </div>
                    ))}
                  </td>
                  <td>
                    {of.lastError && (
                      <>
                        <code title={wordsFor(of.lastError.code).title}>{of.lastError.code}</code> <span className="hint">{ago(of.lastError.at)}</span>
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
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
        {state === "failing" && <span className="hint"> began {ago(owed?.failingSince)}</span>}
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
