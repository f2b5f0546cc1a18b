// Answers that were accepted, and whose runs could not go on: their questions are open again.

import { useEffect, useState } from "react";
import { sentence, wordsFor } from "../lib/words";
import { theFeed } from "../server/notices";
import type { InboxItem } from "../server/api";
import { askKeyOf } from "./asked";
import type { Said } from "./InboxItem";

/** Why runs could not go on, by their ids. The notice may be here before the answer that it is about. */
export type Reopened = ReadonlyMap<string, string>;

export function useReopened(): Reopened {
  const [runs, setRuns] = useState<Reopened>(new Map());
  useEffect(
    () =>
      theFeed().watch(["interrupt.reopened"], (notices) => {
        if (notices) setRuns((before) => new Map([...before, ...notices.map(({ run = "", how = "" }) => [run, how] as const)]));
      }),
    [],
  );
  return runs;
}

/** What was said, as it has turned out. */
export function turnedOut(said: readonly Said[], runs: Reopened): Said[] {
  return said.map((one) => {
    const code = one.run === undefined ? undefined : runs.get(one.run);
    if (code === undefined || !one.openAgain) return one;
    return { ...one, text: one.openAgain(sentence(wordsFor(code).title)), goesOn: false };
  });
}

/** Why the last answer to what a thread asks did not do. */
export function openAgain(said: readonly Said[], item: InboxItem): string | undefined {
  const last = said.filter(({ key }) => key === askKeyOf(item)).at(-1);
  return last?.openAgain && !last.goesOn ? last.text : undefined;
}
