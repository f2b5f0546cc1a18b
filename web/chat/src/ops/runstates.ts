// What became of a run, in words. That its dispatch is done with says nothing of that.

import type { RunInfo } from "../server/api";
import { waits } from "../../../react/forms/question";
import { visible } from "../../../react/lib/misleading";
import { sentence, wordsFor } from "../lib/words";
import { waitsFor } from "../../../react/threads/stands";
import { parts } from "../words";
import { ops } from "../words/ops";

export interface RunState {
  words: string;
  /** Of the badge: "" is neither good nor bad. */
  tone: "" | "done" | "asked" | "late" | "busy";
}

type Told = Pick<RunInfo, "state" | "outcome" | "error" | "waits" | "continuedAs"> & { started?: boolean; availableAt?: string };

/** The interrupt by which an operator has a run pause. */
const PAUSED = "aguiws:paused";

/** Whether an operator has a run pause. */
export const isPaused = ({ waits, outcome }: Told) =>
  waits === true && ((outcome?.outcome as { interrupts?: Array<{ reason?: string }> } | undefined)?.interrupts?.some(({ reason }) => reason === PAUSED) ?? false);

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
      // Its claim was taken away: by who stopped it, which is said, or for a newer run.
      return { words: run.error || run.outcome?.code === "cancelled" ? ops.runStates.stopped : ops.runStates.superseded, tone: "" };
    case "dead_letter":
      return run.continuedAs ? { words: ops.runStates.requeued, tone: "" } : { words: ops.states.dead_letter, tone: "late" };
  }
  const { outcome } = run;
  if (outcome?.type === "RUN_ERROR") return outcome.code === "cancelled" ? { words: ops.runStates.stopped, tone: "" } : { words: ops.runStates.failed, tone: "late" };
  if (outcome?.outcome?.type === "interrupt") {
    const { interrupts } = outcome.outcome as { interrupts?: Array<{ reason?: string; expiresAt?: string }> };
    const wait = interrupts?.find(({ reason }) => reason !== undefined && waits(reason));
    if (wait) return { words: run.waits ? waitsFor(wait.reason!, wait.expiresAt, parts) : run.continuedAs ? ops.runStates.waited : ops.runStates.waitedOnly, tone: "" };
    if (!run.waits) return { words: run.continuedAs ? ops.runStates.answered : ops.runStates.unanswered, tone: "" };
    if (interrupts?.length && interrupts.every(({ expiresAt }) => Date.parse(expiresAt ?? "") <= now)) return { words: ops.runStates.expired, tone: "" };
    return isPaused(run) ? { words: ops.runStates.paused, tone: "asked" } : { words: ops.runStates.asks, tone: "asked" };
  }
  if (outcome?.type === "RUN_FINISHED") return { words: ops.runStates.succeeded, tone: "done" };
  return { words: ops.runStates.ended, tone: "" };
}

/** What is to be said beside that. */
export function runDetail({ outcome, error }: Told): string {
  if (outcome?.type === "RUN_ERROR") return [outcome.code ?? "agent_error", sentence(outcome.message ?? "")].filter(Boolean).join(": ");
  return error ?? "";
}

/** Why a run has failed, in the page's words and in the server's; undefined if it has not. */
export function failureOf({ state, outcome, error }: Told): { title: string; message: string; code?: string } | undefined {
  if (outcome?.type === "RUN_ERROR" && outcome.code !== "cancelled") {
    const code = outcome.code ?? "agent_error";
    return { title: wordsFor(code).title, message: outcome.message ?? "", code };
  }
  return state === "dead_letter" && error ? { title: ops.states.dead_letter, message: error } : undefined;
}

/** What a run came to, in one line. */
export function runLine(run: Told & Pick<RunInfo, "wrote" | "origin">): string {
  const failure = failureOf(run);
  if (failure) return visible([failure.title, failure.message].filter(Boolean).join(": "));
  const stopped = run.outcome?.type === "RUN_ERROR" ? run.outcome.message : run.error;
  return visible(stopped || run.wrote?.text || (run.origin && run.origin !== "user" ? ops.by(ops.origins[run.origin] ?? run.origin) : ""));
}
