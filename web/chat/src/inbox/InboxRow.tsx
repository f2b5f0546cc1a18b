import type { Interrupt } from "@ag-ui/client";
import { aboutWhat, calledBy } from "../forms/answers";
import type { InboxItem } from "../server/api";
import { ThreadDue } from "../lib/DueTag";
import { visible } from "../lib/misleading";
import { ago } from "../lib/time";

interface Props {
  item: InboxItem;
  /** It is the one that is looked at. */
  picked: boolean;
  pick: () => void;
  /** A yes or no to several did not answer it. */
  refused: boolean;
  /** Whether it is chosen, and the way to change that; left out where it cannot be. */
  chosen?: boolean;
  choose?: (chosen: boolean) => void;
}

/** One thread of the inbox in the list: what it is about, what it asks, who does, since when and until when. */
export function InboxRow({ item, picked, pick, refused, chosen, choose }: Props) {
  const title = visible(item.title || "Untitled");
  const asks = asksWords(item);
  const count = item.interrupts.length + (item.omitted ?? 0);
  const drafted = item.interrupts.filter((one) => one.draft).length;
  return (
    <div role="listitem" className="inbox-row" data-testid="inbox-row" data-thread-id={item.threadId} data-picked={picked}>
      {choose ? (
        <label className="choose">
          <input type="checkbox" checked={chosen} data-testid="inbox-choose" onChange={(event) => choose(event.target.checked)} />
          <span className="visually-hidden">Select {title}</span>
        </label>
      ) : (
        <span />
      )}
      <button type="button" className="inbox-pick" aria-current={picked} data-testid="inbox-pick" onClick={pick}>
        <span className="title" dir="auto">
          {title}
        </span>
        <span className="hint when">{ago(item.since)}</span>
        {asks !== title && (
          <span className="hint asks" dir="auto">
            {asks}
          </span>
        )}
        <span className="row tags">
          {item.user !== undefined && (
            <span className="hint asker">
              <span className="visually-hidden">Asked by </span>
              <bdi data-testid="inbox-asker">{visible(item.user)}</bdi>
            </span>
          )}
          <ThreadDue asked={item.interrupts} soon />
          {count > 1 && <span className="tag">{drafted > 0 ? `${drafted} of ${count} answered` : `${count} questions`}</span>}
          {item.agent && <span className="tag">{visible(item.agent)}</span>}
          {refused && <span className="tag late">refused</span>}
          {item.corrupted && <span className="tag late">damaged</span>}
        </span>
      </button>
    </div>
  );
}

/** What a thread asks, on one line. */
function asksWords({ interrupts }: Pick<InboxItem, "interrupts">): string {
  const [first] = interrupts;
  return first ? aboutWhat(first.interrupt as unknown as Interrupt, calledBy(first.toolCall)) : "";
}
