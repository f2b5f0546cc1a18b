import { useSyncExternalStore } from "react";
import { pageDeletions } from "./deletions";
import { visible } from "../../../react/lib/misleading";
import { words } from "../words";

/** The chats that are about to be deleted, and the way to keep them. */
export function DeletedNote() {
  const deletions = pageDeletions();
  const { held, fault } = useSyncExternalStore(deletions.watch, deletions.look);
  return (
    <div className="deleted" role="status">
      {held.filter(({ done }) => !done).map(({ threadId, title }) => (
        <p key={threadId} className="row" data-testid="deleted" data-thread-id={threadId}>
          <span className="title" dir="auto">
            {words.threads.deleted(visible(title))}
          </span>
          <button type="button" data-testid="undo-delete" aria-label={words.threads.undoKeep(visible(title))} onClick={() => deletions.undo(threadId)}>
            {words.threads.undo}
          </button>
        </p>
      ))}
      {fault && <p className="fault">{words.threads.notDeleted(fault.words)}</p>}
    </div>
  );
}
