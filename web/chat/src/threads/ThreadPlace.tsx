import type { ThreadInfo } from "../server/api";
import { onLink, threadHref } from "../lib/route";
import { words } from "../words";

interface PlaceProps {
  thread: ThreadInfo;
  /** The threads that are listed, by which others are called. */
  listed: readonly ThreadInfo[];
}

/** Where a thread stands among others: what it is a part of, and which of its parts waits for an answer. */
export function ThreadPlace({ thread, listed }: PlaceProps) {
  const parent = thread.parentThreadId;
  const [waits] = thread.waitsFor ?? [];
  const count = thread.waitsForCount ?? thread.waitsFor?.length ?? 0;
  if (parent === undefined && waits === undefined) return null;
  const named = (id: string) => listed.find(({ threadId }) => threadId === id)?.title || words.threads.anotherChat;
  return (
    <p className="hint thread-place" data-testid="thread-place">
      {parent !== undefined && (
        <a href={threadHref(parent)} onClick={onLink} data-testid="part-of">
          {words.threads.partOf(named(parent))}
        </a>
      )}
      {waits !== undefined && (
        <a href={threadHref(waits)} onClick={onLink} data-testid="part-waits">
          {words.threads.partsWait(count)}
        </a>
      )}
    </p>
  );
}
