import type { ReactNode } from "react";
import { usePolled, type DecisionInfo, type Page, type RunInfo } from "../server/api";
import { Copy } from "../lib/Copy";
import { Facts } from "./Facts";
import { ForgetRuns } from "./ForgetRuns";
import { Guarded } from "../../../react/lib/Guarded";
import { keysOn } from "../inbox/inboxkeys";
import { Icon } from "../../../react/lib/Icon";
import { visible } from "../../../react/lib/misleading";
import { PauseControl } from "./PauseControl";
import { exactly } from "../lib/exactly";
import { onLink, threadHref } from "../lib/route";
import { moreFacts, people } from "./runfacts";
import { chatName, headOf, nameOf, nameOfId } from "./runnames";
import { learnDecided } from "./runquestions";
import { RunQuestions } from "./RunQuestions";
import { RunSteps } from "./RunSteps";
import { isLetter, RunActions, type Act } from "./RunTable";
import { failureOf, isPaused, runDetail, runState } from "./runstates";
import { RunTimeline } from "./RunTimeline";
import { waitsSince, workedWords } from "./runway";
import { useRepeated, useTurn } from "./turn";
import { sentence } from "../lib/words";
import { When } from "./When";
import { ops } from "../words/ops";

interface Props {
  run: RunInfo;
  act: Act;
  /** It may be of another namespace. */
  across: boolean;
  /** Where another run of its chat is looked at, if that can be from here. */
  leadsTo: (id: string) => string | undefined;
  /** The list is beside it. */
  beside: boolean;
  /** Lists the runs of its chat alone. */
  only?: (threadId: string) => void;
  close: () => void;
}

const EVERY_MS = 5_000;

/** All that is known of a run, and what can be done about its chat. */
export function RunPanel({ run, act, across, leadsTo, beside, only, close }: Props) {
  const { asked, calls, last } = useTurn(run, across);
  const of = across ? `&namespace=${encodeURIComponent(run.namespace)}` : "";
  const { data } = usePolled<Page<DecisionInfo>>(`/threads/${encodeURIComponent(run.threadId)}/decisions?limit=200${of}`, EVERY_MS);
  const decisions = data?.items ?? [];
  learnDecided(decisions);
  const { words, tone } = runState(run);
  const { heading, below } = headOf(run, asked);
  const failure = failureOf(run);
  const retry = failure !== undefined && last && run.state !== "dead_letter";
  const repeats = useRepeated(run, across);
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
        {beside && keysOn() && (
          <span className="hint keys">
            {Object.entries(ops.keys).map(([key, what]) => (
              <span key={key}>
                <kbd>{key}</kbd> {what}{" "}
              </span>
            ))}
          </span>
        )}
        {beside && (
          <button type="button" className="quiet" data-testid="panel-close" onClick={close}>
            {ops.close}
          </button>
        )}
      </div>
      <h3 className="asked-text" dir="auto" data-testid="run-asked">
        {heading}
      </h3>
      {below !== undefined && (
        <p className="hint asked-text" dir="auto">
          {below}
        </p>
      )}
      {failure && (
        <div className="fault" data-testid="run-failure">
          <strong>{failure.title}</strong>
          {failure.message === "" ? "." : ": "}
          {failure.message && <span dir="auto">{visible(sentence(failure.message))}</span>} {failure.code && <code>{failure.code}</code>}
        </div>
      )}
      <div className="actions">
        <a className={retry && !across ? "button primary" : "button"} href={threadHref(run.threadId, across ? run.namespace : undefined)} onClick={onLink} data-testid="run-to-chat">
          {retry && !across ? ops.retryOwn : ops.toChat}
        </a>
        {isLetter(run) && (
          <span className="actions" data-testid="run-letter">
            <RunActions run={run} act={act} across={across} />
          </span>
        )}
        {only && (
          <button type="button" data-testid="only-chat" data-edits onClick={() => only(run.threadId)}>
            {ops.runsOfChat}
          </button>
        )}
      </div>
      {retry && across && (
        <p className="hint" data-testid="run-retry">
          {ops.retryOfOther(visible(run.begunBy ?? run.user ?? ops.itsUser))}
        </p>
      )}
      <RunTimeline run={run} decisions={decisions} />
      <Facts facts={factsOf(run, heading, across, leadsTo, repeats, decisions)} />
      <RunQuestions run={run} decisions={decisions} />
      <RunSteps run={run} calls={calls} />
      <ChatActions run={run} act={act} across={across} />
      <details>
        <summary>{ops.ids}</summary>
        <Facts facts={idsOf(run).map(([name, id]) => [name, <Id key={name} name={name} id={id} />])} />
      </details>
    </aside>
  );
}

/** What is known in a word or two beside its heading and its timeline. A run that others go on with leads to them. */
function factsOf(run: RunInfo, heading: string, across: boolean, leadsTo: Props["leadsTo"], repeats: RunInfo | undefined, decisions: readonly DecisionInfo[]): Array<[string, ReactNode]> {
  const { wrote, stoppedBy, error, replacedBy, continuedAs } = run;
  const since = waitsSince(run);
  const asker = decisions.find(({ answeredBy }) => answeredBy?.id === run.id)?.askedBy?.id;
  const leads = (id: string, name = nameOfId(id), hook?: string) => {
    const href = leadsTo(id);
    if (href === undefined) return visible(name);
    return (
      <a key={id} href={href} onClick={onLink} dir="auto" data-testid={hook}>
        {visible(name)}
      </a>
    );
  };
  const facts: Array<[string, ReactNode] | false | undefined | ""> = [
    chatName(run) !== heading && [
      ops.columnOfChat,
      <a key="chat" href={threadHref(run.threadId, across ? run.namespace : undefined)} onClick={onLink} dir="auto" title={ops.openChat} data-testid="run-chat">
        {chatName(run)}
      </a>,
    ],
    ...people(run).map(([name, who]): [string, ReactNode] => [name, <bdi key={name}>{visible(who)}</bdi>]),
    repeats && [ops.repeats, leads(repeats.id, `${nameOf(repeats)}, ${exactly(repeats.createdAt)}`)],
    wrote?.text && [ops.said, <span key="said" className="asked-text" dir="auto">{visible(wrote.text)}</span>],
    replacedBy && [ops.instead, leads(replacedBy)],
    stoppedBy && [ops.stoppedBy, <bdi key="stopped">{visible(stoppedBy)}</bdi>],
    error && !replacedBy && !failureOf(run) && [ops.why, visible(runDetail(run))],
    asker && [ops.goesOnFrom, leads(asker, ops.runThatAsked, "run-asker")],
    continuedAs && [ops.wentOnAs, leads(continuedAs)],
    ...moreFacts(run),
    since && [ops.waitsSince, <When key="waits" at={since} plain />],
    workedWords(run) && [ops.worked, workedWords(run)],
    [ops.agent, run.agent ? <code key="agent">{visible(run.agent)}</code> : ops.default],
    run.attempts > 1 && [ops.attempts, ops.attemptsOf(Math.min(run.attempts, run.maxAttempts), run.maxAttempts)],
  ];
  return facts.filter((one): one is [string, ReactNode] => Boolean(one));
}

/** The ids by which programs know a run, under the names that /v1 has for them, and how the server's log does. */
const idsOf = (run: RunInfo): Array<[string, string]> =>
  [
    ["id", run.id],
    ["runId", run.runId],
    ["threadId", run.threadId],
    ["namespace", run.namespace],
    ["traceId", run.traceId ?? ""],
    [ops.inLog, `dispatch=${run.id}`],
  ].filter((one): one is [string, string] => one[1] !== "");

function Id({ name, id }: { name: string; id: string }) {
  return (
    <>
      <code>{visible(id)}</code> <Copy text={id} label={ops.copyId(name)} hook={`copy-${name}`} />
    </>
  );
}

/** What can be done about the whole chat of a run: nothing that would do nothing. */
function ChatActions({ run, act, across }: Pick<Props, "run" | "act" | "across">) {
  const base = `/threads/${encodeURIComponent(run.threadId)}`;
  const of = across ? `?namespace=${encodeURIComponent(run.namespace)}` : "";
  const live = run.state === "queued" || run.state === "claimed";
  const paused = isPaused(run);
  const acts = live || run.waits === true;
  if (across && !acts) return null;
  return (
    <>
      <h4>{ops.itsChat}</h4>
      {acts && (
        <Guarded subject={`${run.id} ${live} ${paused}`} className="actions">
          {run.state === "claimed" && <PauseControl path={`${base}/pause${of}`} act={act} />}
          {paused && (
            <button
              type="button"
              data-testid="unpause"
              title={ops.goOnAbout}
              onClick={() => void act(ops.goOn, "POST", `${base}/unpause${of}`, undefined, ({ resumed }) => (resumed ? ops.goesOn : ops.nothingPaused))}
            >
              {ops.goOn}
            </button>
          )}
          {(live || run.waits) && (
            <button
              type="button"
              data-testid="interrupt-thread"
              title={ops.stopAllAbout}
              onClick={() =>
                void act(ops.stopAll, "POST", `${base}/interrupt${of}`, { reason: "interrupted by an operator" }, ({ active, superseded, waiting }) =>
                  active || waiting || (superseded as unknown[] | undefined)?.length ? ops.stoppedAll : ops.nothingUnderWay,
                )
              }
            >
              {ops.stopAll}
            </button>
          )}
        </Guarded>
      )}
      {!across && <ForgetRuns base={base} act={act} />}
    </>
  );
}
