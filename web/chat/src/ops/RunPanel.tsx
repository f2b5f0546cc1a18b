import type { ReactNode } from "react";
import type { RunInfo } from "../server/api";
import { useAsked } from "./asked";
import { Copy } from "../lib/Copy";
import { ForgetRuns } from "./ForgetRuns";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { visible } from "../../../react/lib/misleading";
import { PauseControl } from "./PauseControl";
import { onLink, threadHref } from "../lib/route";
import { RunFacts } from "./RunFacts";
import { nameOf, type Act } from "./RunTable";
import { failureOf, isPaused, runState } from "./runstates";
import { RunTimeline } from "./RunTimeline";
import { tookWords } from "./runway";
import { sentence } from "../lib/words";
import { locale } from "../words";
import { ops } from "../words/ops";

interface Props {
  run: RunInfo;
  act: Act;
  /** It may be of another namespace, whose chats cannot be acted on here. */
  across: boolean;
  /** The list is beside it. */
  beside: boolean;
  /** Lists the runs of its chat alone. */
  only?: (threadId: string) => void;
  close: () => void;
}

/** All that is known of a run, and what can be done about its chat. */
export function RunPanel({ run, act, across, beside, only, close }: Props) {
  const { words, tone } = runState(run);
  const asked = useAsked(run, across);
  const failure = failureOf(run);
  const facts: Array<[string, ReactNode]> = [
    [ops.columns.began, new Date(run.createdAt).toLocaleString(locale)],
    [ops.columns.took, tookWords(run)],
    [ops.agent, run.agent ? <code key="agent">{visible(run.agent)}</code> : ops.default],
    [ops.attempts, ops.nOf(Math.min(run.attempts, run.maxAttempts), run.maxAttempts)],
  ];
  if (asked) {
    facts.unshift([
      ops.asked,
      <span key="asked" className="asked-text" dir="auto" data-testid="run-asked">
        {visible(asked)}
      </span>,
    ]);
  }
  return (
    <aside className="panel-aside" aria-label={ops.chosenRun} tabIndex={-1} data-testid="run-panel">
      <div className="row">
        {!beside && (
          <button type="button" className="quiet" data-testid="panel-back" onClick={close}>
            <Icon name="back" /> {ops.toRuns}
          </button>
        )}
        <span className={`tag ${tone}`}>{words}</span>
        <span className="spacer" />
        {beside && (
          <button type="button" className="quiet" data-testid="panel-close" onClick={close}>
            {ops.close}
          </button>
        )}
      </div>
      <h3>
        <a href={threadHref(run.threadId, across ? run.namespace : undefined)} onClick={onLink} dir="auto" title={ops.openChat} data-testid="run-chat">
          {nameOf(run)}
        </a>
      </h3>
      {failure && (
        <div className="fault" data-testid="run-failure">
          <strong>{failure.title}.</strong> <span dir="auto">{visible(sentence(failure.message))}</span> {failure.code && <code>{failure.code}</code>}
        </div>
      )}
      <Facts facts={facts} />
      <RunFacts run={run} />
      <RunTimeline run={run} across={across} />
      {!across && <ChatActions run={run} act={act} only={only} />}
      <details>
        <summary>{ops.ids}</summary>
        <Facts facts={idsOf(run).map(([name, id]) => [name, <Id key={name} name={name} id={id} />])} />
      </details>
    </aside>
  );
}

function Facts({ facts }: { facts: ReadonlyArray<[string, ReactNode]> }) {
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The ids by which programs know a run, under the names that /v1 has for them. */
const idsOf = (run: RunInfo): Array<[string, string]> => [
  ["id", run.id],
  ["runId", run.runId],
  ["threadId", run.threadId],
  ["namespace", run.namespace],
];

function Id({ name, id }: { name: string; id: string }) {
  return (
    <>
      <code>{visible(id)}</code> <Copy text={id} label={ops.copyId(name)} hook={`copy-${name}`} />
    </>
  );
}

/** What can be done about the whole chat of a run. */
function ChatActions({ run, act, only }: { run: RunInfo; act: Act; only?: (threadId: string) => void }) {
  const base = `/threads/${encodeURIComponent(run.threadId)}`;
  const live = run.state === "queued" || run.state === "claimed";
  const paused = isPaused(run);
  return (
    <>
      <h4>{ops.itsChat}</h4>
      <Guarded subject={`${run.id} ${live} ${paused}`} className="actions">
        <PauseControl base={base} disabled={run.state !== "claimed"} act={act} />
        <button
          type="button"
          data-testid="unpause"
          title={ops.goOnAbout}
          disabled={!paused}
          onClick={() => void act(ops.goOn, "POST", `${base}/unpause`, undefined, ({ resumed }) => (resumed ? ops.goesOn : ops.nothingPaused))}
        >
          {ops.goOn}
        </button>
        <button
          type="button"
          data-testid="interrupt-thread"
          title={ops.stopAllAbout}
          disabled={!live}
          onClick={() =>
            void act(ops.stopAll, "POST", `${base}/interrupt`, { reason: "interrupted by an operator" }, ({ active, superseded }) =>
              active || (superseded as unknown[] | undefined)?.length ? ops.stoppedAll : ops.nothingUnderWay,
            )
          }
        >
          {ops.stopAll}
        </button>
        {only && (
          <button type="button" className="quiet" data-testid="only-chat" data-edits onClick={() => only(run.threadId)}>
            {ops.runsOfChat}
          </button>
        )}
      </Guarded>
      <ForgetRuns base={base} act={act} />
    </>
  );
}
