// What runs have asked, or were begun by the answer to: from what waits, and from what was decided.

import { usePolled, type DecisionInfo, type InboxItem, type Page, type RunInfo } from "../server/api";
import { gaveUp } from "../decision/told";
import { decidedAbout } from "../inbox/decided";
import { asksWords } from "../../../react/inbox/asks";
import { isObject } from "../../../react/forms/schema";
import { visible } from "../../../react/lib/misleading";
import { whenOver } from "../server/session";
import { ofDecisions, ofWaiting } from "../server/notices";
import { parts } from "../words";

const MOST = 2_000;
const EVERY_MS = 30_000;

/** So many of either are looked at. */
export const OPEN_PATH = "/inbox?limit=200";
export const DECIDED_PATH = "/decisions?limit=200";

type Refused = "declined" | "withdrawn";

const asked = new Map<string, string>();
const begun = new Map<string, { about: string; refused?: Refused }>();

type Asking = Pick<RunInfo, "id" | "runId" | "threadId" | "namespace">;

/** What waits names the run that asked as its client does, which is another run's name elsewhere. */
const openKey = ({ namespace, threadId, runId }: Omit<Asking, "id">) => JSON.stringify([namespace, threadId, runId]);

/** Learns what waits. */
export function learnOpen(items: readonly InboxItem[]): void {
  thin();
  for (const item of items) {
    const words = asksWords(item, parts);
    if (words !== "") asked.set(openKey(item), several(words, item.interrupts.length + (item.omitted ?? 0)));
  }
}

/** Learns what was decided. */
export function learnDecided(decisions: readonly DecisionInfo[]): void {
  thin();
  for (const [id, some] of by(decisions, ({ askedBy }) => askedBy?.id)) asked.set(id, aboutAll(some));
  for (const [id, some] of by(decisions, ({ answeredBy }) => answeredBy?.id)) begun.set(id, { about: aboutAll(some), refused: some.every(isNo) ? "declined" : some.every(isNone) ? "withdrawn" : undefined });
}

/** What a run has asked, or was begun by the answer to; undefined: nothing, or that is not known. */
export const questionOf = (run: Asking): string | undefined => asked.get(run.id) ?? asked.get(openKey(run)) ?? begun.get(run.id)?.about;

/** Whether all answers that have begun a run were a no, or none was given. */
export const refusedTo = ({ id }: Pick<RunInfo, "id">): Refused | undefined => begun.get(id)?.refused;

/** Learns what runs ask, and have asked lately, as far as the person may read that, and draws what shows it. */
export function useQuestions(): void {
  const open = usePolled<Page<InboxItem>>(OPEN_PATH, EVERY_MS, ofWaiting).data;
  const decided = usePolled<Page<DecisionInfo>>(DECIDED_PATH, EVERY_MS, ofDecisions).data;
  learnOpen(open?.items ?? []);
  learnDecided(decided?.items ?? []);
}

const isNo = ({ status, payload }: DecisionInfo) => status === "resolved" && isObject(payload) && payload.approved === false;

const isNone = ({ status, through }: DecisionInfo) => status === "cancelled" && !gaveUp(through);

const several = (first: string, count: number) => visible(count > 1 ? parts.text.andMore(first, count - 1) : first);

const aboutAll = (decisions: readonly DecisionInfo[]) => several(decidedAbout(decisions[0]!), decisions.length);

function by(decisions: readonly DecisionInfo[], of: (one: DecisionInfo) => string | undefined): Map<string, DecisionInfo[]> {
  const groups = new Map<string, DecisionInfo[]>();
  for (const one of decisions.toReversed()) {
    const id = of(one);
    if (id !== undefined) groups.set(id, [...(groups.get(id) ?? []), one]);
  }
  return groups;
}

function thin(): void {
  whenOver(forget);
  if (asked.size > MOST) asked.clear();
  if (begun.size > MOST) begun.clear();
}

function forget(): void {
  asked.clear();
  begun.clear();
}
