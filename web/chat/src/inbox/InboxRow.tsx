import type { MouseEvent } from "react";
import { rowWords } from "../../../react/inbox/asks";
import type { InboxItem } from "../server/api";
import { AgentCell, Cell, TimeCell } from "./DecisionTable";
import { exactly } from "../lib/exactly";
import { meansRow } from "../lib/rowpress";
import { KeptRow } from "./KeptRow";
import { nearOf } from "./late";
import { ThreadDue } from "../../../react/lib/DueTag";
import { reviewersWords } from "./Reviewers";
import { Grave } from "../../../react/lib/Grave";
import { isDestructive } from "../../../react/forms/question";
import { visible } from "../../../react/lib/misleading";
import { parts } from "../words";
import { inbox } from "../words/inbox";

export type InboxColumn = keyof typeof inbox.columns;

interface Props {
  item: InboxItem;
  /** What it is about beside its headline, and what tells it from others in the same words. */
  apart?: string;
  /** What is shown of it: what no row of the list has is left out. */
  columns: readonly InboxColumn[];
  /** It is open no more, and its place is kept for a moment. */
  gone: boolean;
  /** What was done here about what it asked. */
  said?: string;
  /** That waits still to be sent, and the way to take it back. */
  waits: boolean;
  undo?: () => void;
  others: boolean;
  leave: () => void;
  /** It is the one that is looked at. */
  picked: boolean;
  /** `keyed`: not by a pointer. */
  pick: (keyed: boolean) => void;
  /** A yes or no to several did not answer it. */
  refused: boolean;
  /** Whether it is chosen, and the way to change that; left out where it cannot be. */
  chosen?: boolean;
  choose?: (chosen: boolean) => void;
  /** Why it cannot be chosen. */
  barred?: string;
  /** Says so. */
  sayBarred: () => void;
  /** Whoever looks has it assigned. */
  taken: boolean;
  /** Who else has it assigned, and who else looks at it. */
  assignee?: string;
  reviewers: readonly string[];
  /** The Tab key leads past it: the arrows lead there. */
  passed: boolean;
}

/** One thread of the inbox in the table: what it asks, who does, which agent, since when and until when. */
export function InboxRow({ item, apart, columns, gone, said, waits, undo, others, leave, picked, pick, refused, chosen, choose, barred, sayBarred, taken, assignee, reviewers, passed }: Props) {
  const asks = rowWords(item, parts);
  const count = item.interrupts.length + (item.omitted ?? 0);
  const drafted = item.interrupts.filter((one) => one.draft).length;
  const tab = passed ? -1 : 0;
  const near = nearOf(item, Date.now());
  const timed = item.since !== undefined && apart?.endsWith(inbox.askedAt(exactly(item.since)));
  const row = {
    className: "inbox-row",
    "data-testid": "inbox-row",
    "data-thread-id": item.threadId,
    "data-picked": picked,
    onClick: ({ target }: MouseEvent) => {
      if (meansRow(target as Element)) pick(false);
    },
  };
  const over =
    said === undefined ? (
      inbox.gone(asks)
    ) : (
      <>
        <span className="done" dir="auto">
          {said}
        </span>
        {undo && (
          <button type="button" className="quiet" data-testid="inbox-row-undo" aria-label={inbox.undoWhat(said)} onClick={undo}>
            {inbox.undo}
          </button>
        )}
      </>
    );
  return (
    <KeptRow gone={gone} waits={waits} over={over} width={columns.length} others={others} leave={leave} row={row}>
      <Cell className="what">
        {choose && (
          <label className="choose">
            <input type="checkbox" checked={chosen} tabIndex={tab} data-testid="inbox-choose" onChange={(event) => choose(event.target.checked)} />
            <span className="visually-hidden">{inbox.select(asks)}</span>
          </label>
        )}
        {barred !== undefined && (
          <label className="choose" title={barred}>
            <input type="checkbox" aria-disabled checked={false} tabIndex={tab} data-testid="inbox-barred" onChange={sayBarred} />
            <span className="visually-hidden">{`${inbox.select(asks)}. ${barred}`}</span>
          </label>
        )}
        <button type="button" className="inbox-pick" tabIndex={tab} aria-current={picked} data-testid="inbox-pick" onClick={({ detail }) => pick(detail === 0)}>
          <span className="title" dir="auto">
            {asks}
          </span>
        </button>
        {apart && (
          <span className="apart" dir="auto" data-testid="inbox-apart">
            {apart}
          </span>
        )}
        <span className="tags">
          {item.interrupts.some(({ interrupt }) => isDestructive(interrupt)) && <Grave />}
          {count > 1 && <span className="tag">{drafted > 0 ? inbox.answeredOf(drafted, count) : inbox.questions(count)}</span>}
          {taken && <span className="tag">{inbox.taken}</span>}
          {assignee !== undefined && <span className="tag">{inbox.assignedTo(visible(assignee))}</span>}
          {reviewers.length > 0 && <span className="tag">{reviewersWords(reviewers)}</span>}
          {refused && <span className="tag late">{inbox.refused}</span>}
          {item.corrupted && <span className="tag late">{inbox.damaged}</span>}
        </span>
      </Cell>
      {columns.includes("askedBy") && <Cell>{item.user !== undefined && <bdi data-testid="inbox-asker">{visible(item.user)}</bdi>}</Cell>}
      {columns.includes("agent") && <AgentCell agent={item.agent} />}
      <TimeCell at={timed ? undefined : item.since} />
      {columns.includes("due") && <Cell className="due">{near.length > 0 && <ThreadDue asked={near} />}</Cell>}
    </KeptRow>
  );
}
