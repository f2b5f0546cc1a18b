// What keys do in the inbox: they go through the list, and decide about what is picked.

import type { KeyboardEvent } from "react";
import type { InboxItem } from "../server/api";
import type { Bulk } from "./bulk";
import { uncovered } from "../../../react/lib/Guarded";
import { rowsOf } from "./DecisionTable";
import { keyOf } from "./asked";
import { actOn, neighbour, stepOf, wayOf, type KeyAct } from "./inboxkeys";
import type { Picked, Places } from "./picking";
import type { Selection } from "./selection";
import { inbox } from "../words/inbox";

/** Where a key decides about what is shown, beside the page itself, its heading and what is shown. */
const DECIDING = '[data-picked="true"] [data-testid="inbox-pick"], [data-testid="inbox-keys-on"]';

export interface Moves {
  act: (what: KeyAct) => void;
  /** The arrows go through the list from where the focus is in it. */
  arrow: (event: KeyboardEvent) => void;
  decides: (target: EventTarget | null) => boolean;
}

interface Does {
  /** Tells something for a moment. */
  tell: (text: string) => void;
  undo: () => void;
  /** Shows which keys do what, or no more. */
  keys: () => void;
}

export function movesOf(items: readonly InboxItem[], picked: Picked, { heading, rows, detail }: Places, bulk: Bulk, { changer, has, chosen, barred }: Selection, beside: boolean, { tell, undo, keys }: Does): Moves {
  const { listed, open, there, pick, buttonOf } = picked;
  const itemAt = (key: string | undefined) => items.find((one) => keyOf(one) === key);
  return {
    act(what) {
      if (what === "leave") return (rows.current?.querySelector<HTMLElement>('[data-picked="true"] [data-testid="inbox-pick"]') ?? heading.current)?.focus();
      if (what === "undo") return undo();
      if (what === "keys") return keys();
      if (what === "chat") return detail.current?.querySelector<HTMLElement>(":scope > .inbox-asked:not([hidden]) header a")?.click();
      if (what === "choose") {
        const change = open && changer(open);
        if (change) change(!has(open));
        else if (open) tell(barred(open));
        return;
      }
      // With a selection, the plain keys mean it: one of several alone is not what is looked at.
      const way = wayOf(what, chosen.length > 0);
      if (way) {
        if (chosen.length === 0) tell(inbox.noneChosen);
        else if (bulk.look().state === "idle") bulk.propose(way, chosen);
        return;
      }
      if (what !== "next" && what !== "previous") {
        const asked = detail.current?.querySelector(":scope > .inbox-asked:not([hidden])");
        const why = asked && what !== "approve chosen" && what !== "decline chosen" ? actOn(asked, what) : undefined;
        if (why) tell(inbox.unfit[why]);
        return;
      }
      // At the end it may be the same thread that asks again.
      const item = itemAt(neighbour(listed, picked.key, what === "next" ? 1 : -1)) ?? (open ? undefined : there);
      if (item) return pick(item, "key");
      // Whoever decides next means another one.
      uncovered();
      tell(what === "next" ? inbox.lastOne : inbox.firstOne);
    },
    arrow(event) {
      const step = stepOf(event);
      const from = event.target instanceof Element ? event.target.closest('[data-testid="inbox-pick"]')?.closest("tr") : undefined;
      if (!step || !from || !rows.current) return;
      event.preventDefault();
      const at = rowsOf(rows.current).indexOf(from);
      const next = neighbour(listed, listed[at]?.key, step);
      const item = itemAt(next);
      if (item && beside) pick(item, "key");
      else if (item) buttonOf(next)?.focus();
    },
    decides: (target) =>
      bulk.look().state === "idle" && target instanceof Element &&
      (chosen.length > 0 || target === document.body || target === heading.current || detail.current?.contains(target) === true || target.matches(DECIDING)),
  };
}
