// What runs are called, the same in every list: by their question, or else by what they were asked, or by what they said. The
// title of their chat is only beside it. Not every run says what it was asked itself: one that goes on after an answer says it
// of the run that was asked, which a list may have shown.

import type { RunInfo } from "../server/api";
import { questionOf } from "./runquestions";
import { visible } from "../../../react/lib/misleading";
import { whenOver } from "../server/session";
import { ops } from "../words/ops";

const MOST = 1_000;
const byRun = new Map<string, string>();
const byExecution = new Map<string, string>();

type Named = Pick<RunInfo, "id" | "execution" | "asked">;
type Called = Named & Pick<RunInfo, "title" | "threadId" | "runId" | "namespace" | "wrote">;

/** Learns what runs of a list were asked. */
export function learnNames(runs: readonly Named[]): void {
  whenOver(forget);
  if (byRun.size > MOST) forget();
  for (const { id, execution, asked } of runs) {
    if (!asked) continue;
    byRun.set(id, asked);
    byExecution.set(execution, asked);
  }
}

const forget = () => [byRun, byExecution].forEach((map) => map.clear());

/** What a run was asked that is known by its id alone, or the beginning of that. */
export const nameOfId = (id: string) => byRun.get(id) ?? id.slice(0, 8);

const askedOf = (run: Named) => run.asked || byExecution.get(run.execution) || "";

/** What a run is called: by its question, which all lists know, or by what was asked, or by what it said, or by its chat. */
export const nameOf = (run: Called): string => visible(questionOf(run) || askedOf(run) || (run.wrote?.text ?? "")) || chatName(run);

/** What stands above all that is known of a run that was asked `whole`: its name in lists, or all of that if the name begins it; and below it what was asked in other words. */
export function headOf(run: Called, whole = ""): { heading: string; below?: string } {
  // What it said is its name only while nobody knows what was asked.
  const heading = nameOf(whole ? { ...run, wrote: undefined } : run);
  const asked = visible(whole);
  if (asked.startsWith(heading.replace(/…$/, ""))) return { heading: asked };
  return asked === "" ? { heading } : { heading, below: asked };
}

export const chatName = ({ title, threadId }: Pick<RunInfo, "title" | "threadId">) => visible(title || ops.chat(threadId.slice(0, 8)));

type Began = Pick<RunInfo, "origin" | "user" | "begunBy" | "answersAnew">;

/** Who had it begin and how, if somebody asked another time before, or somebody else did; empty: there is no more to say than whose it is. */
export function whoAgain({ origin, user = "", begunBy, answersAnew }: Began): string {
  if (answersAnew) return user ? ops.retriedBy(visible(user)) : ops.retried;
  return begunBy && user && origin === "resume" ? ops.askedAndAnswered(visible(begunBy), visible(user)) : "";
}

/** How it began, if that is no message and nobody is told of it; empty: there is nothing to say. */
export const began = (run: Began) => (run.origin && run.origin !== "user" && !whoAgain(run) ? (ops.origins[run.origin] ?? run.origin) : "");

/** What stands below that: how it began if no message began it, what came of it, and its chat where that is called otherwise. */
export function belowName(run: Called & Began, line: string): string {
  const { asked, title } = run;
  const name = nameOf(run);
  const by = asked ? "" : began(run);
  const chat = visible(title ?? "").replace(/…$/, "").toLowerCase();
  const same = [name, visible(askedOf(run))].some((one) => one.toLowerCase().startsWith(chat));
  return [whoAgain(run), by && ops.by(by), line === name ? "" : line, same ? "" : ops.inChat(chatName(run))].filter(Boolean).join(" · ");
}
