import type { MouseEvent } from "react";
import { hasFailed, stands } from "./stands.js";
import { useThreads } from "./useThreads.js";
import type { Control } from "../control/control.js";
import { Told } from "../control/Told.js";
import { Marked } from "../lib/Marked.js";
import { useStrings } from "../lib/words.js";

export interface ThreadListProps {
  control: Control;
  /** The thread that is shown. */
  current?: string | undefined;
  /** Shows a thread. */
  onPick: (threadId: string) => void;
  /** The address of a thread, so that a link can be opened elsewhere, too. Default `?thread=`. */
  hrefOf?: ((threadId: string) => string) | undefined;
}

/** The threads of the caller, the latest input first, and how each of them stands. */
export function ThreadList({ control, current, onPick, hrefOf = (id) => `?thread=${encodeURIComponent(id)}` }: ThreadListProps) {
  const strings = useStrings();
  const { list: words } = strings;
  const { items, error, more, fetching, fault } = useThreads(control);
  const picks = (threadId: string) => (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onPick(threadId);
  };
  return (
    <nav className="aguiws threads" aria-label={words.chats} data-testid="thread-list">
      <Told items={items} error={error} nothing={words.noChats} />
      <ul className="rows">
        {items?.map((thread) => (
          <li key={thread.threadId} data-waiting={thread.waiting} data-failed={hasFailed(thread)}>
            <a className="row" href={hrefOf(thread.threadId)} aria-current={thread.threadId === current ? "page" : undefined} data-thread-id={thread.threadId} onClick={picks(thread.threadId)}>
              <span className="title" dir="auto">
                <Marked text={thread.title || words.untitled} />
              </span>
              <span className="hint">{stands(thread, strings)}</span>
            </a>
          </li>
        ))}
      </ul>
      {fault && (
        <p className="fault" role="alert">
          {words.notAsked(fault)}
        </p>
      )}
      {more && (
        <button type="button" className="quiet" data-testid="more-threads" disabled={fetching} onClick={() => void more()}>
          {words.more}
        </button>
      )}
    </nav>
  );
}
