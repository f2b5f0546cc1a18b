import { useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { pageDeletions } from "./deletions";
import { visible } from "../../../react/lib/misleading";
import { toasts } from "../lib/toasts";
import { words } from "../words";

/** The chats that are about to be deleted, and the way to keep them, whatever is looked at meanwhile. */
export function DeletedNote() {
  const deletions = pageDeletions();
  const { held, fault } = useSyncExternalStore(deletions.watch, deletions.look);
  return createPortal(
    <div role="status">
      {held.filter(({ done }) => !done).map(({ threadId, title }) => (
        <div key={threadId} className="toast" data-testid="deleted" data-thread-id={threadId}>
          <p dir="auto">{words.threads.deleted(visible(title))}</p>
          <button type="button" data-testid="undo-delete" aria-label={words.threads.undoKeep(visible(title))} onClick={() => deletions.undo(threadId)}>
            {words.threads.undo}
          </button>
        </div>
      ))}
      {fault && <p className="toast fault">{words.threads.notDeleted(fault.words)}</p>}
    </div>,
    toasts(),
  );
}
