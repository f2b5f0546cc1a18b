// What became of a thread's questions and turns, gathered from what runs tell, from their log and from what is on record.

import type { BaseEvent, Interrupt, ResumeEntry } from "@ag-ui/client";
import { decisionsOf } from "../../../client";
import type { DecisionInfo, RunInfo } from "../server/api";
import { toldBy, toldOnRecord, type Told } from "./told";

/** What stays in the conversation: a question's answer, or the end of a turn that did not succeed. */
export type Mark = {
  key: string;
  /** The message that it stands behind, where that is known. */
  behind?: string;
  /** The message that its turn began with, where no more is known. */
  turn?: string;
} & ({ kind: "answer"; question?: Interrupt; told: Told } | { kind: "end"; how: "failed" | "stopped"; code: string; message: string; /** The client's name of its run. */ runId?: string; /** The server's, where it is on record. */ run?: string; /** When, in milliseconds, where that is known. */ on?: number; /** How the same turn failed before, the oldest first. */ earlier?: readonly Ended[] });

/** The end of a turn that did not succeed. */
export type Ended = Mark & { kind: "end" };

/** `at`: when its run came to be, in milliseconds, which the record says. One of which it does not is the latest if it is told now, and an old one if the log tells it. */
type End = Ended & { at: number };

interface Decided {
  told: Told;
  /** The client's name of the run that the answer began. A question that was given back is decided again, by another. */
  run?: string;
}

interface Asked {
  question: Interrupt;
  behind: string | undefined;
}

/** More are forgotten, the oldest first. */
const MOST = 1_000;

export class ThreadRecord {
  private readonly questions = new Map<string, Asked>();
  private readonly decisions = new Map<string, Decided>();
  /** Behind which message answers stand, and with which their turns began. */
  private readonly places = new Map<string, { behind?: string; turn?: string }>();
  private readonly ends = new Map<string, End>();
  /** The run in progress, among what is told now and among what the log says. */
  private readonly runIds = { now: "", log: "" };
  private picture = { calls: new Map<string, Told>(), marks: [] as Mark[] };

  /**
   * Takes an event in; `behind` is the last message before it, undefined where that is not known. Answers whether it told
   * something new. `from` the log it stands where it came, which one that is told anew to a newcomer does not.
   */
  take(event: BaseEvent, behind: string | undefined, from: "now" | "log" = "now"): boolean {
    switch (event.type) {
      case "RUN_STARTED": {
        const { runId, input } = event as unknown as { runId: string; input?: { resume?: ResumeEntry[] } };
        this.runIds[from] = runId;
        const decisions = decisionsOf(event);
        for (const decision of decisions) this.decided(toldBy(decision, input?.resume), runId, behind, from);
        return decisions.length > 0 && this.changed();
      }
      case "RUN_FINISHED": {
        const { outcome } = event as unknown as { outcome?: { type?: string; interrupts?: Interrupt[] } };
        for (const question of outcome?.interrupts ?? []) this.asks(question, behind, from);
        if (outcome?.type === "cancelled") return this.ended({ how: "stopped", code: "cancelled", message: "" }, behind, from);
        this.runIds[from] = "";
        return false;
      }
      case "RUN_ERROR":
        return this.ended(endOf(event as unknown as { code?: string; message?: string }), behind, from);
    }
    return false;
  }

  /** A question is open. */
  asks(question: Interrupt, behind: string | undefined, from: "now" | "log" = "now"): void {
    const before = this.questions.get(question.id)?.behind;
    if (before === undefined || from === "log") keep(this.questions, question.id, { question, behind: behind ?? before });
  }

  /** What is on record. What runs have told of the same is less, but for where it stands. */
  learn(decisions: readonly DecisionInfo[], runs: readonly RunInfo[]): void {
    const turns = new Map<string, string>();
    for (const { execution, messageId } of runs) if (messageId !== undefined) turns.set(execution, messageId);
    const asking = new Map(runs.map(({ id, execution }) => [id, turns.get(execution)]));
    for (const decision of decisions) {
      const told = toldOnRecord(decision);
      const run = decision.answeredBy?.runId;
      const before = this.decisions.get(told.interruptId);
      const same = before !== undefined && isSame(before, run);
      // Of one that was decided again the last decision holds, in whichever order they are told.
      if (before && !same && isLater(before.told, told)) continue;
      keep(this.decisions, told.interruptId, { told: { ...(same && before.told), ...told }, run });
      const turn = asking.get(decision.askedBy?.id ?? "");
      if (turn !== undefined) keep(this.places, told.interruptId, { ...this.places.get(told.interruptId), turn });
    }
    for (const { id, runId, execution, outcome, createdAt, updatedAt } of runs.toReversed()) {
      const end = outcome?.type === "RUN_ERROR" ? endOf(outcome) : outcome?.outcome?.type === "cancelled" && endOf({ code: "cancelled" });
      if (!end) continue;
      const key = keyOf(runId);
      keep(this.ends, key, { ...end, ...this.ends.get(key), key, kind: "end", runId, run: id, turn: turns.get(execution), at: Date.parse(createdAt), on: Date.parse(updatedAt) });
    }
    this.changed();
  }

  /** Whether there is something of which nobody has told where it stands. */
  get lacksPlaces(): boolean {
    const answers = [...this.decisions.values()].filter(({ told }) => told.toolCallId === undefined);
    return answers.some(({ told: { interruptId } }) => this.places.get(interruptId)?.behind === undefined) || [...this.ends.values()].some(({ behind }) => behind === undefined);
  }

  /** The decisions about calls, by call, and what stands between messages. */
  look(): { calls: ReadonlyMap<string, Told>; marks: readonly Mark[] } {
    return this.picture;
  }

  private decided(told: Told, run: string, behind: string | undefined, from: "now" | "log"): void {
    const { interruptId: id } = told;
    const place = this.questions.get(id)?.behind ?? behind;
    const before = this.places.get(id);
    const known = this.decisions.get(id);
    if (!known || isSame(known, run)) keep(this.decisions, id, { told: { ...told, ...known?.told }, run });
    else if (!isLater(known.told, told)) keep(this.decisions, id, { told, run });
    if (place !== undefined && (from === "log" || before?.behind === undefined)) keep(this.places, id, { ...before, behind: place });
  }

  private ended(end: Pick<End, "how" | "code" | "message">, behind: string | undefined, from: "now" | "log"): boolean {
    const runId = this.runIds[from];
    this.runIds[from] = "";
    // What was refused has never been a turn.
    if (runId === "") return false;
    const key = keyOf(runId);
    const before = this.ends.get(key);
    if (before?.behind !== undefined && from === "now") return false;
    keep(this.ends, key, { at: from === "now" ? Infinity : -Infinity, ...(from === "now" && { on: Date.now() }), ...before, ...end, key, kind: "end", runId, behind: behind ?? before?.behind });
    return this.changed();
  }

  private changed(): true {
    const calls = new Map<string, Told>();
    const marks: Mark[] = [];
    for (const { told } of [...this.decisions.values()].sort((one, other) => Date.parse(one.told.at) - Date.parse(other.told.at))) {
      const { interruptId: key, toolCallId } = told;
      if (toolCallId !== undefined) {
        // Several questions may have been about one call.
        const other = calls.get(toolCallId);
        if (!other || !isLater(other, told)) calls.set(toolCallId, told);
      } else marks.push({ key, kind: "answer", told, question: this.questions.get(key)?.question, ...this.places.get(key) });
    }
    // A turn that was tried again stands where it stood, ends as it did the last time, and knows of the times before.
    const inTime = [...this.ends.values()].sort((one, other) => (one.at === other.at ? 0 : one.at - other.at));
    const ends = new Map<string, Ended>();
    for (const end of inTime) {
      const place = end.behind ?? end.turn ?? end.key;
      const before = ends.get(place);
      ends.set(place, before ? { ...end, earlier: [...(before.earlier ?? []), ...(before.how === "failed" ? [before] : [])] } : end);
    }
    this.picture = { calls, marks: [...marks, ...ends.values()] };
    return true;
  }
}

/** Whether a decision is the one that began this run, as far as that is known. */
function isSame({ run: known }: Decided, run: string | undefined): boolean {
  return known === undefined || run === undefined || known === run;
}

function isLater(one: Told, other: Told): boolean {
  return Date.parse(one.at) > Date.parse(other.at);
}

function keyOf(runId: string): string {
  return `end ${runId}`;
}

function endOf({ code = "agent_error", message = "" }: { code?: string; message?: string }): Pick<End, "how" | "code" | "message"> {
  return { how: code === "cancelled" ? "stopped" : "failed", code, message };
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value!);
}
