// What is looked at of the inbox, and where the focus goes with it.

import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import type { InboxItem } from "../server/api";
import { led, uncovered } from "../../../react/lib/Guarded";
import type { Kept } from "../lib/kept";
import { askKeyOf, keyOf } from "./asked";
import type { Said } from "./InboxItem";
import { follower, type Span } from "./inboxkeys";
import { isLate } from "./late";
import { rowsOf } from "./DecisionTable";
import { useLostFocus } from "./lostfocus";

/**
 * What is looked at of a list, and what is asked there. `by` is how a person came to it: by a pointer, by a key that goes
 * through the list, by one that opens it, by answering what was asked before, or by coming to the inbox. It is left out where it is what another list begins with.
 */
interface Picking {
  list: string;
  key?: string;
  ask?: string;
  /** What was looked at before the list alone. */
  left?: string;
  by?: "click" | "key" | "open" | "answer" | "coming";
}

/** Where the focus can go. */
export interface Places {
  heading: RefObject<HTMLHeadingElement | null>;
  rows: RefObject<HTMLTableSectionElement | null>;
  detail: RefObject<HTMLDivElement | null>;
}

/** A row of the list, or the place of one that has gone. */
export type Listed = ReadonlyArray<{ key: string; gone: boolean; late: boolean }>;

export interface Picked {
  key?: string;
  /** What the picked thread asks now, and the same if it is what was picked. */
  there?: InboxItem;
  open?: InboxItem;
  listed: Listed;
  /** What was done here about what was picked, and whether that was all of it. */
  said: readonly Said[];
  answered: boolean;
  pick: (item: InboxItem, by?: Picking["by"]) => void;
  /** Back to the list alone. */
  leave: () => void;
  /** The button in a row that picks it. */
  buttonOf: (key: string | undefined) => HTMLElement | null | undefined;
}

interface Shown {
  /** Another list begins without what was picked in this one. */
  list: string;
  items: readonly InboxItem[];
  kept: readonly Kept<InboxItem>[];
  said: readonly Said[];
  /** There is room for the list and what is picked. */
  beside: boolean;
}

/** What is answered here makes room for the next one, and what goes otherwise leaves its place empty until another is picked. */
export function usePicked({ list, items, kept, said, beside }: Shown, { heading, rows, detail }: Places): Picked {
  const [picking, setPicking] = useState<Picking>({ list });
  const picked = picking.list === list ? picking.key : undefined;
  const [first] = items;
  const pick = (item: InboxItem, by?: Picking["by"]) => setPicking({ list, key: keyOf(item), ask: askKeyOf(item), by });
  useEffect(() => {
    // Whoever comes here by a link, or has no focus yet, goes on by keys.
    if (beside && picked === undefined && first) pick(first, document.activeElement?.matches("body, .bar a") ? "coming" : undefined);
  }, [beside, picked, first, list]);
  useLayoutEffect(uncovered, [picking]);
  const listed = kept.map(({ item, gone }) => ({ key: keyOf(item), gone, late: isLate(item, Date.now()) }));
  const there = items.find((item) => keyOf(item) === picked);
  const open = there && askKeyOf(there) === picking.ask ? there : undefined;
  const saidHere = said.filter(({ key }) => key === picking.ask);
  const answered = saidHere.some(({ goesOn }) => goesOn);
  const followedBy = picked !== undefined && !open && answered ? follower(listed, picked) : undefined;
  useLayoutEffect(() => {
    const item = items.find((one) => keyOf(one) === followedBy);
    if (item) pick(item, "answer");
  }, [followedBy, items, list]);
  useLostFocus(heading, items.length, said, followedBy === undefined);
  const buttonOf = (of: string | undefined) => {
    const at = listed.findIndex(({ key, gone }) => !gone && key === of);
    return rowsOf(rows.current)[at]?.querySelector<HTMLElement>('[data-testid="inbox-pick"]');
  };
  useEffect(() => {
    const { by, key, left } = picking;
    if (by === undefined) return;
    const way = ledBy(by, beside);
    if (way && detail.current) led(detail.current, way);
    // On a phone the list goes, and what is picked comes, or the other way round.
    if (key === undefined) (buttonOf(left) ?? heading.current)?.focus();
    else if (by === "key" && beside) lead(buttonOf(key));
    else if (by === "coming") buttonOf(key)?.focus({ preventScroll: true });
    else if (by === "answer") {
      if (beside) inSight(buttonOf(key));
      // The buttons that had the focus are gone: it is nowhere, or was led to the heading while they were sending.
      if (document.activeElement === document.body || document.activeElement === heading.current) detail.current?.focus({ preventScroll: true });
    } else if (!beside || by === "open") detail.current?.focus({ preventScroll: beside });
    // What is asked begins at its beginning, below the list's heading if that is beside it.
    const bar = document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0;
    if ((detail.current?.getBoundingClientRect().top ?? bar) >= bar) return;
    if (beside) scrollTo({ top: 0, behavior: "instant" });
    else detail.current!.scrollIntoView();
  }, [picking]);
  const leave = () => setPicking({ list, left: picked, by: "click" });
  return { key: picked, there, open, listed, said: saidHere, answered, pick, leave, buttonOf };
}

/** What the guard hears of how a person came to what is asked; undefined: nothing. On a phone it comes where the list was pressed. */
export function ledBy(by: Picking["by"], beside: boolean): "person" | "decision" | undefined {
  if (by === "answer") return "decision";
  return by === "key" || by === "open" || (by === "click" && beside) ? "person" : undefined;
}

/** Leads the focus to a row. */
function lead(button: HTMLElement | null | undefined): void {
  button?.focus({ preventScroll: true });
  inSight(button);
}

/** Brings a row into sight. The list scrolls in itself, and the page stays where it is. */
function inSight(button: HTMLElement | null | undefined): void {
  const [row, list] = [button?.closest("tr"), button?.closest(".inbox-rows")];
  if (!row || !list) return;
  if (list.scrollHeight <= list.clientHeight) return row.scrollIntoView({ block: "nearest" });
  const [at, box] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
  const head = list.querySelector("thead")?.getBoundingClientRect().height ?? 0;
  list.scrollTop += scrolledBy({ top: box.top + head, bottom: box.bottom }, at);
}

/** How far a list scrolls until a row of it is in sight: in pixels, 0 if it is. */
export function scrolledBy(room: Span, row: Span): number {
  if (row.top < room.top) return row.top - room.top;
  return Math.max(0, row.bottom - room.bottom);
}
