import { Fragment, useEffect, useRef, type KeyboardEvent as Key, type MouseEvent } from "react";
import type { RunInfo } from "../server/api";
import { dayOf, dayWords } from "../chat/times";
import { useDue } from "../../../react/lib/DueTag";
import { Guarded } from "../../../react/lib/Guarded";
import { visible } from "../../../react/lib/misleading";
import { isPlain, threadHref } from "../lib/route";
import { isTyped, keyActOf, keysOn, neighbour } from "../inbox/inboxkeys";
import { chosenHref, useChosen } from "./place";
import { RunPanel } from "./RunPanel";
import { runHref } from "./runfilters";
import { useQuestions } from "./runquestions";
import { belowName, nameOf, whoAgain } from "./runnames";
import { openQuestions, runLine, runState, unfolded } from "./runstates";
import { secondWords } from "./runway";
import { useWide } from "../lib/wide";
import { Length, When } from "./When";
import { ops } from "../words/ops";

/** Does something and says what became of it; `outcome` reads the answer. */
export type Act = (what: string, method: string, path: string, body?: unknown, outcome?: (answer: Record<string, unknown>) => string) => Promise<void>;

/** The states of a dispatch, in the order of its life. */
export const STATES: ReadonlyArray<RunInfo["state"]> = ["queued", "claimed", "acked", "cancelled", "superseded", "dead_letter"];

export const stateWords = (state: RunInfo["state"]) => ops.states[state] ?? state;

/** For all that is known of a run beside the list, as in styles/operator.css. */
export const BESIDE = "(min-width: 52rem)";

interface Props {
  runs: readonly RunInfo[];
  act: Act;
  /** They are of several namespaces. */
  across?: boolean;
  /** The id of one that is looked at from the beginning. */
  shown?: string;
  /** Lists the runs of a chat alone. Without it no panel offers that. */
  only?: (threadId: string) => void;
}

/** Whether the day of one is not that of the one above it. */
const otherDay = (above: RunInfo, one: RunInfo) => dayOf(Date.parse(above.createdAt))[0] !== dayOf(Date.parse(one.createdAt))[0];

const isLive = ({ state }: RunInfo) => state === "queued" || state === "claimed";

export const isLetter = ({ state, continuedAs }: RunInfo) => state === "dead_letter" && !continuedAs;

/** Runs by day, and beside them all that is known of the chosen one, or in their place if there is no room. */
export function RunTable({ runs, act, across = false, shown, only }: Props) {
  const [id, choose] = useChosen(shown);
  useQuestions();
  const rows = unfolded(runs, id);
  const beside = useWide(BESIDE);
  // A question expires without any news of it.
  useDue(runs.flatMap(openQuestions));
  const latest = useRef<RunInfo>(undefined);
  const box = useRef<HTMLDivElement>(null);
  // A run that left the list is shown as it was.
  const found = runs.find((one) => one.id === id);
  if (found) latest.current = found;
  const run = found ?? (latest.current?.id === id ? latest.current : undefined);
  const before = useRef(run?.id);
  useEffect(() => {
    const was = before.current;
    before.current = run?.id;
    if (beside || was === run?.id) return;
    // What has come in the place of the list is read on from its beginning, and the list from where it was left.
    const next = run ? box.current?.querySelector<HTMLElement>(".panel-aside") : box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(was ?? "")}"] .run-pick`);
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: run ? "start" : "center" });
  }, [run?.id, beside]);
  useStep((step) => {
    const next = neighbour(rows.map((one) => ({ key: one.id, gone: false })), run?.id, step);
    if (next === undefined) return;
    choose(next);
    const row = box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(next)}"] .run-pick`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  });
  const enter = () => box.current?.querySelector<HTMLElement>(".panel-aside")?.focus({ preventScroll: true });
  const leave = (event: Key) => {
    if (event.key !== "Escape" || event.defaultPrevented || isTyped(event.target) || !run) return;
    event.preventDefault();
    choose(undefined);
    box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(run.id)}"] .run-pick`)?.focus();
  };
  const acts = runs.some((one) => isLive(one) || isLetter(one));
  const { state, what, agent, began, took } = ops.columns;
  const hrefOf = (one: RunInfo) => {
    if (shown === undefined) return chosenHref(one.id);
    return across ? threadHref(one.threadId, one.namespace) : runHref(one.threadId, one.id);
  };
  const leadsTo = (id: string) => (!across ? runHref(run!.threadId, id) : runs.some((one) => one.id === id) ? chosenHref(id) : undefined);
  return (
    <div ref={box} className="list-and-panel" data-open={run !== undefined} onKeyDown={leave}>
      <div className="scroll runs" tabIndex={0} role="group" aria-label={ops.runs} hidden={run !== undefined && !beside}>
        <table>
          <thead>
            <tr>
              <th scope="col">{state}</th>
              <th scope="col">{what}</th>
              <th scope="col">{agent}</th>
              <th scope="col">{began}</th>
              <th scope="col">{took}</th>
              {acts && (
                <th scope="col" data-letters={runs.some(isLetter)}>
                  <span className="visually-hidden">{ops.actions}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((one, i) => (
              <Fragment key={one.id}>
                {(i === 0 || otherDay(rows[i - 1]!, one)) && (
                  <tr className="day">
                    <th scope="colgroup" colSpan={acts ? 6 : 5}>
                      {dayWords(Date.parse(one.createdAt))}
                    </th>
                  </tr>
                )}
                <Row run={one} act={act} across={across} acts={acts} open={one.id === run?.id} href={hrefOf(one)} choose={() => choose(one.id === run?.id ? undefined : one.id)} enter={enter} />
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      {run && <RunPanel key={run.id} run={run} act={act} across={across} leadsTo={leadsTo} beside={beside} only={only} close={() => choose(undefined)} />}
    </div>
  );
}

/** By j and k, as in the inbox, unless such keys are turned off there. */
function useStep(step: (by: 1 | -1) => void): void {
  const last = useRef(step);
  last.current = step;
  useEffect(() => {
    const keyed = (event: KeyboardEvent) => {
      const act = keysOn() ? keyActOf(event) : undefined;
      if (act !== "next" && act !== "previous") return;
      event.preventDefault();
      last.current(act === "next" ? 1 : -1);
    };
    addEventListener("keydown", keyed);
    return () => removeEventListener("keydown", keyed);
  }, []);
}

interface RowProps {
  run: RunInfo;
  act: Act;
  across: boolean;
  acts: boolean;
  open: boolean;
  href: string;
  choose: () => void;
  /** Goes on in what is known of it. */
  enter: () => void;
}

function Row({ run, act, across, acts, open, href, choose, enter }: RowProps) {
  const { words, tone } = runState(run);
  const line = belowName(run, runLine(run));
  const user = run.begunBy ?? run.user;
  const by = across && user !== undefined && !whoAgain(run);
  // A key has opened it already: Enter goes on there, and does not take it away again.
  const press = (event: MouseEvent<HTMLAnchorElement>) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    if (open && event.detail === 0) enter();
    else choose();
  };
  return (
    <tr data-testid="run" data-id={run.id} data-state={run.state} data-run-id={run.runId} data-thread-id={run.threadId} data-open={open}>
      <td className="is">
        <span className={`tag ${tone}`} data-testid="run-state" title={run.claimedBy ? ops.dispatchBy(run.state, run.claimedBy) : ops.dispatch(run.state)}>
          {words}
        </span>
      </td>
      <td className="what">
        <a className="run-pick" href={href} aria-expanded={open} data-testid="run-way" onClick={press} onKeyDown={(event) => event.key === " " && (event.preventDefault(), choose())}>
          <span dir="auto">{nameOf(run)}</span>
          {(by || line) && (
            <span className="hint" dir="auto" title={line}>
              {by && (
                <>
                  <span className="visually-hidden">{ops.askedBy} </span>
                  <bdi data-testid="run-user">{visible(user)}</bdi>
                  {line && " · "}
                </>
              )}
              {line}
            </span>
          )}
        </a>
      </td>
      <td className="agent">{run.agent ? <code>{visible(run.agent)}</code> : ops.default}</td>
      <td className="began">
        <When at={run.createdAt} short={secondWords} plain />
      </td>
      <td className="took"><Length run={run} /></td>
      {acts && (
        <td className="acts">
          <RunActions run={run} act={act} across={across} />
        </td>
      )}
    </tr>
  );
}

const dismissed = ({ stopped }: Record<string, unknown>) => (stopped ? ops.dismissed : ops.noDeadLetter);

/** What can be done about one run. */
export function RunActions({ run, act, across }: { run: RunInfo; act: Act; across: boolean }) {
  const path = `/threads/${encodeURIComponent(run.threadId)}/runs/${encodeURIComponent(run.id)}`;
  const of = across ? `?namespace=${encodeURIComponent(run.namespace)}` : "";
  return (
    <Guarded subject={`${run.id} ${run.state}`}>
      {isLive(run) && (
        <button type="button" data-testid="cancel-run" onClick={() => void act(ops.cancel, "POST", `${path}/cancel${of}`, { reason: "cancelled by an operator" })}>
          {ops.cancel}
        </button>
      )}
      {isLetter(run) && (
        <>
          <button type="button" data-testid="requeue" onClick={() => void act(ops.requeue, "POST", `${path}/requeue${of}`)}>
            {ops.requeue}
          </button>
          <button type="button" className="quiet" data-testid="dismiss" onClick={() => void act(ops.dismiss, "POST", `${path}/cancel${of}`, { reason: "by an operator" }, dismissed)}>
            {ops.dismiss}
          </button>
        </>
      )}
    </Guarded>
  );
}
