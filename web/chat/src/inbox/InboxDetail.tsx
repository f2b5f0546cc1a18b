import { type ReactNode, type RefObject, useState } from "react";
import type { InboxItem } from "../server/api";
import { Icon } from "../../../react/lib/Icon";
import { askKeyOf } from "./asked";
import type { Picked } from "./picking";
import { inbox } from "../words/inbox";

interface Props {
  box: RefObject<HTMLDivElement | null>;
  items: readonly InboxItem[];
  picked: Picked;
  /** Something is picked, and this is shown. */
  detailed: boolean;
  /** The list is beside it. */
  beside: boolean;
  keys: boolean;
  /** Several are about to be answered together: meanwhile nothing is answered here. */
  behind: boolean;
  /** Others are chosen for an answer: what is picked is not what one is about to answer. */
  aside: boolean;
  /** One of the items, to be answered. */
  children: (item: InboxItem) => ReactNode;
}

/** What the picked thread asks, or what became of that. */
export function InboxDetail({ box, items, picked, detailed, beside, keys, behind, aside, children }: Props) {
  const { open, there, said, answered, pick, leave } = picked;
  // Something was typed into what these ask: it is kept while another is looked at.
  const [begun, setBegun] = useState<ReadonlySet<string>>(new Set());
  const shown = items.filter((item) => (detailed && item === open) || begun.has(askKeyOf(item)));
  if (!detailed && shown.length === 0) return null;
  return (
    <div ref={box} className="inbox-detail" hidden={!detailed} inert={behind} data-aside={aside} tabIndex={-1} role="group" aria-label={inbox.theQuestion}>
      {!beside && (
        <button type="button" className="quiet" data-testid="inbox-back" onClick={leave}>
          <Icon name="back" /> {inbox.backToList}
        </button>
      )}
      {shown.map((item) => {
        const key = askKeyOf(item);
        const begin = () => setBegun((before) => (before.has(key) ? before : new Set(before).add(key)));
        return (
          <div key={key} className="inbox-asked" hidden={item !== open} onInput={begin}>
            {children(item)}
          </div>
        );
      })}
      {!open && (
        <div className="answered" data-testid="inbox-over">
          {said.map(({ text, goesOn }, i) => (
            <p key={i}>{goesOn ? inbox.yours(text) : text}</p>
          ))}
          {!answered && <p>{inbox.notOpen}</p>}
          {there && (
            <p>
              {inbox.asksAgain}{" "}
              <button type="button" data-testid="inbox-again" onClick={() => pick(there, "click")}>
                {inbox.showAsked}
              </button>
            </p>
          )}
          {items.length > 0 && beside && <p>{keys ? inbox.chooseNextKey : inbox.chooseNext}</p>}
        </div>
      )}
    </div>
  );
}
