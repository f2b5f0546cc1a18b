// What became of a run, in words. That its dispatch is done with says nothing of that.

import type { OpenQuestion, RunInfo } from "../server/api";
import { waits } from "../../../react/forms/question";
import { visible } from "../../../react/lib/misleading";
import { saidBy, sentence, wordsFor } from "../lib/words";
import { waitsFor } from "../../../react/threads/stands";
import { nameOfId } from "./runnames";
import { refusedTo } from "./runquestions";
import { parts } from "../words";
import { ops } from "../words/ops";

export interface RunState {
  words: string;
  /** Of the badge: "" is neither good nor bad. */
  tone: "" | "done" | "asked" | "late" | "busy";
}

type Told = Pick<RunInfo, "id" | "state" | "outcome" | "error" | "waits" | "continuedAs" | "answered" | "stoppedBy" | "replacedBy" | "user" | "origin"> & { started?: boolean; availableAt?: string };

/** The interrupt by which an operator has a run pause. */
const PAUSED = "aguiws:paused";

/** Whether an operator has a run pause. */
export const isPaused = ({ waits, outcome }: Omit<Told, "id">) =>
  waits === true && (outcome?.outcome?.interrupts?.some(({ reason }) => reason === PAUSED) ?? false);

/** Whether nobody can answer a question any more. */
export const hasExpired = ({ expiresAt }: OpenQuestion, now = Date.now()) => Date.parse(expiresAt ?? "") <= now;

/** What a run still asks people. */
export const openQuestions = ({ waits: open, outcome }: Told): OpenQuestion[] =>
  open ? (outcome?.outcome?.interrupts ?? []).filter(({ reason }) => reason === undefined || !waits(reason)) : [];

/** Whether a run waits for answers that nobody can give any more. */
export function isLate(run: Told, now = Date.now()): boolean {
  const open = openQuestions(run);
  return open.length > 0 && open.every((one) => hasExpired(one, now));
}

/** Of a run that was stopped: by whom, as far as that is known. */
function stopped({ replacedBy, stoppedBy, error }: Pick<Told, "replacedBy" | "stoppedBy" | "error">): RunState {
  if (replacedBy) return { words: ops.runStates.superseded, tone: "" };
  if (stoppedBy) return { words: ops.runStates.stoppedBy(visible(stoppedBy)), tone: "" };
  // Where users are not told apart, whoever gives no reason is the one in front of the chat.
  return { words: error ? ops.runStates.stopped : ops.runStates.stoppedByUser, tone: "" };
}

/** How it is with a run. */
export function runState(run: Told, now = Date.now()): RunState {
  switch (run.state) {
    case "queued":
      return { words: Date.parse(run.availableAt ?? "") > now ? ops.runStates.later : run.started ? ops.runStates.waits : ops.runStates.queued, tone: "" };
    case "claimed":
      return { words: run.started ? ops.runStates.running : ops.runStates.starting, tone: "busy" };
    case "cancelled":
      // It has ended in another way before that: as a dead letter.
      return { words: run.outcome?.type === "RUN_ERROR" && run.outcome.code !== "cancelled" ? ops.runStates.dismissed : ops.runStates.cancelled, tone: "" };
    case "superseded":
      return stopped(run);
    case "dead_letter":
      return run.continuedAs ? { words: ops.runStates.requeued, tone: "" } : { words: ops.states.dead_letter, tone: "late" };
  }
  const { outcome } = run;
  if (outcome?.type === "RUN_ERROR" ? outcome.code === "cancelled" : outcome?.outcome?.type === "cancelled") {
    // The run that ends what asked is of who has it end.
    return run.origin === "expiry" ? { words: ops.runStates.stopped, tone: "" } : stopped({ error: run.error ?? outcome?.message, ...run, stoppedBy: run.stoppedBy ?? run.user });
  }
  if (outcome?.type === "RUN_ERROR") return { words: ops.runStates.failed, tone: "late" };
  if (outcome?.outcome?.type === "interrupt") {
    const { interrupts } = outcome.outcome;
    const wait = interrupts?.find(({ reason }) => reason !== undefined && waits(reason));
    if (wait) return { words: run.waits ? waitsFor(wait.reason!, wait.expiresAt, parts) : run.continuedAs ? ops.runStates.waited : ops.runStates.waitedOnly, tone: "" };
    if (!run.waits) return asked(run);
    if (isPaused(run)) return { words: ops.runStates.paused, tone: "asked" };
    return isLate(run, now) ? { words: ops.runStates.expired, tone: "late" } : { words: ops.runStates.asks, tone: "asked" };
  }
  const refused = refusedTo(run);
  if (outcome?.type === "RUN_FINISHED" && refused) return { words: ops.runStates[refused], tone: "" };
  if (outcome?.type === "RUN_FINISHED") return { words: ops.runStates.succeeded, tone: "done" };
  return { words: ops.runStates.ended, tone: "" };
}

/** What became of the questions of a run that does not wait any more. */
function asked({ continuedAs, answered }: Told): RunState {
  if (!continuedAs) return { words: ops.runStates.unanswered, tone: "" };
  if (answered === "expired") return { words: ops.runStates.expired, tone: "late" };
  return { words: answered === "cancelled" ? ops.runStates.withdrawn : ops.runStates.answered, tone: "" };
}

/** Without the runs of which the answer to what they asked has begun another one here, unless one is looked at. */
export function unfolded<T extends Told & Pick<RunInfo, "continuedAs">>(runs: readonly T[], looked: string | undefined): T[] {
  const ids = new Set(runs.map(({ id }) => id));
  return runs.filter(({ id, state, outcome, continuedAs }) => id === looked || state !== "acked" || outcome?.outcome?.type !== "interrupt" || !ids.has(continuedAs ?? ""));
}

/** What is to be said beside that. */
export function runDetail({ outcome, error, replacedBy }: Told): string {
  if (replacedBy) return ops.replacedBy(nameOfId(replacedBy));
  if (outcome?.type === "RUN_ERROR") return [outcome.code ?? "agent_error", sentence(outcome.message ?? "")].filter(Boolean).join(": ");
  return error ?? "";
}

/** How the server's message begins about an agent that has failed, which is what the title says in its own language. */
const SAID = /^the agent failed: /i;

/** Why a run has failed, in the page's words and in the server's; undefined if it has not. */
export function failureOf({ state, outcome, error }: Told): { title: string; message: string; code?: string } | undefined {
  if (outcome?.type === "RUN_ERROR" && outcome.code !== "cancelled") {
    const code = outcome.code ?? "agent_error";
    const { title } = wordsFor(code);
    // What the title has said is not said again.
    const { run } = saidBy({ code, message: outcome.message ?? "" });
    const message = run === undefined ? (outcome.message ?? "").replace(SAID, "") : ops.logSays;
    const same = sentence(message).toLowerCase() === sentence(title).toLowerCase();
    // Of most failures the code says what the title does.
    return { title, message: same ? "" : message, code: code === "agent_error" ? undefined : code };
  }
  return state === "dead_letter" && error ? { title: ops.states.dead_letter, message: error } : undefined;
}

/** What a run came to, in one line. */
export function runLine(run: Told & Pick<RunInfo, "wrote">): string {
  if (run.replacedBy) return visible(ops.replacedBy(nameOfId(run.replacedBy)));
  const failure = failureOf(run);
  if (failure) return visible([failure.title, failure.message].filter(Boolean).join(": "));
  const stopped = run.outcome?.type === "RUN_ERROR" ? run.outcome.message : run.error;
  return visible(stopped || run.wrote?.text || "");
}
