import { type ReactNode, type RefObject, Fragment } from "react";
import type { InboxItem } from "../server/api";
import { columnsOf, DecisionTable, tellsApart } from "./DecisionTable";
import { askKeyOf, keyOf } from "./asked";
import type { InboxColumn } from "./InboxRow";
import { isLate, nearOf } from "./late";
import { Guarded } from "../../../react/lib/Guarded";
import type { Given } from "./held";
import type { Kept } from "../lib/kept";
import type { Selection } from "./selection";
import { apart } from "./apart";
import { countOf, countWords, MOST } from "./bulk";
import { inbox } from "../words/inbox";

interface Props {
  kept: readonly Kept<InboxItem>[];
  body: RefObject<HTMLTableSectionElement | null>;
  selection: Selection;
  /** Answers to several that wait, and the way to take one of them back. */
  together: readonly Given[];
  undo: (given: Given) => void;
  /** Gives up what can only be given up. */
  giveUp?: (items: readonly InboxItem[]) => void;
  /** `apart`: what it is about beside its headline. */
  children: (kept: Kept<InboxItem>, columns: readonly InboxColumn[], apart: string | undefined) => ReactNode;
}

/** The threads that wait, and after them those whose time is over. */
export function InboxList({ kept, body, selection: { offered, chosen, choose }, together, undo, giveUp, children }: Props) {
  const items = kept.map(({ item }) => item);
  const now = Date.now();
  const told = apart(items);
  const late = kept.filter(({ item, gone }) => !gone && isLate(item, now)).map(({ item }) => item);
  const has: Partial<Record<InboxColumn, boolean>> = {
    askedBy: items.some(({ user }) => user !== undefined),
    agent: tellsApart(items, ({ agent }) => agent),
    due: items.some((item) => nearOf(item, now).length > 0),
  };
  const columns = columnsOf(inbox.columns, has);
  const names = columns.map(({ name }) => name as InboxColumn);
  const all = offered.length > 1 && (
    <label className="choose" title={countWords(offered)}>
      <input
        type="checkbox"
        ref={(box) => void (box && (box.indeterminate = chosen.length > 0 && chosen.length < offered.length))}
        checked={chosen.length === Math.min(offered.length, MOST)}
        data-testid="inbox-choose-all"
        onChange={(event) => choose(event.target.checked ? offered.slice(0, MOST) : [])}
      />
      <span className="visually-hidden">{inbox.bulk.selectAll}</span>
    </label>
  );
  const before = (
    <>
      {all}
      {together.map((given, i) => (
        <span key={i} className="together" data-testid="inbox-together">
          <span className="done">{given.text}</span>
          <button type="button" className="quiet" data-testid="inbox-undo-all" aria-label={inbox.undoWhat(given.text)} onClick={() => undo(given)}>
            {inbox.undoAll}
          </button>
        </span>
      ))}
    </>
  );
  return (
    <DecisionTable label={inbox.waiting} columns={columns.map((one) => (one.name === "what" ? { ...one, before } : one))} body={body}>
      {kept.map((one) => (
        <Fragment key={keyOf(one.item)}>
          {one.item === late[0] && (
            <tr role="row" className="group" data-testid="inbox-late">
              <td role="cell" colSpan={columns.length}>
                <h3 title={inbox.late.means}>
                  {inbox.late.title(countOf(late))}
                  <span className="visually-hidden">. {inbox.late.means}</span>
                </h3>
                {giveUp && (
                  <Guarded subject={late.map(askKeyOf).join()}>
                    <button type="button" className="quiet" data-testid="cancel-late" onClick={() => giveUp(late)}>
                      {inbox.late.goOn(countOf(late))}
                    </button>
                  </Guarded>
                )}
              </td>
            </tr>
          )}
          {children(one, names, told.get(one.item))}
        </Fragment>
      ))}
    </DecisionTable>
  );
}
