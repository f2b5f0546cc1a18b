// The thread lives in the address, so that a reload and a second tab show the same one.

import { randomUUID } from "@ag-ui/client";
import { useCallback, useEffect, useState } from "react";
import { keepOwn, ownOf } from "./server/own";
import { usePerson } from "./server/session";
import { go, place, threadHref, whenMoved } from "./lib/route";

const PARAMETER = "thread";
const NAMESPACE = "namespace";
const AGENT = "agent";

/** Under which a thread is kept whose id was made in this tab, with the agent that was chosen for it. */
const MADE = "made";

function addressed(): string | undefined {
  const { searchParams } = new URL(location.href);
  return (place() === "/" && !searchParams.get(NAMESPACE) && searchParams.get(PARAMETER)) || undefined;
}

/** The thread of the address that may be of another namespace: undefined where it names one of the own, or none. */
export function useElsewhere(): { threadId: string; namespace: string } | undefined {
  const [search, setSearch] = useState(location.search);
  useEffect(() => whenMoved(() => setSearch(location.search)), []);
  const query = new URLSearchParams(search);
  const [threadId, namespace] = [query.get(PARAMETER), query.get(NAMESPACE)];
  return threadId && namespace ? { threadId, namespace } : undefined;
}

/** Those that were made in this tab, for whomever, as long as nothing has happened in them. */
const made = new Map<string, boolean>();

/** A new id, of a thread that nothing has happened in yet. */
function make(agent?: string | null): string {
  const threadId = randomUUID();
  made.set(threadId, true);
  keepOwn(MADE, threadId, agent || true);
  return threadId;
}

/** Whether a thread's id was made in this tab: nobody expects anything in it. */
export function madeHere(threadId: string): boolean {
  const here = ownOf(MADE, threadId) !== undefined;
  if (here && !made.has(threadId)) made.set(threadId, true);
  return here;
}

/** Something has happened in it. */
export const isUsed = (threadId: string) => void made.set(threadId, false);

/** The id for whoever signs in after another: they follow an address, and what was only made here is nobody's. */
export const forNext = (threadId: string): string => (made.get(threadId) ? make() : threadId);

/** The agent that was chosen in this tab for a thread that was made in it. */
export function chosenFor(threadId: string): string | undefined {
  const made = ownOf(MADE, threadId);
  return typeof made === "string" ? made : undefined;
}

/** Chooses the agent of a thread that was made in this tab. */
export const chooseFor = (threadId: string, agent: string) => void keepOwn(MADE, threadId, agent || true);

/** The thread of the address, made when there is none, and the way to a new one. */
export function useThreadId(): [string, () => void] {
  const person = usePerson();
  const [{ threadId, whose }, set] = useState(() => ({ threadId: addressed() ?? make(new URLSearchParams(location.search).get(AGENT)), whose: person }));
  if (whose !== person) set({ threadId: forNext(threadId), whose: person });
  useEffect(() => {
    if (addressed() !== threadId) history.replaceState(null, "", threadHref(threadId));
  }, [threadId]);
  useEffect(() => {
    return whenMoved(() => {
      if (place() === "/") set((now) => ({ ...now, threadId: addressed() ?? now.threadId }));
    });
  }, []);
  const begin = useCallback(() => go(threadHref(make())), []);
  return [threadId, begin];
}
