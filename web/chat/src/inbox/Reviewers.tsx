import { useEffect, useState } from "react";
import { call, request, type InboxItem } from "../server/api";
import { poll } from "../../../react/control/poll";
import { visible } from "../../../react/lib/misleading";
import { inbox } from "../words/inbox";

/** The server forgets who looks after a minute: so often it is told again, in milliseconds. */
const EVERY_MS = 20_000;

/**
 * Who else looks at what a thread asks. `looking`: it is open here, which the others are told as long as the page is seen.
 * It keeps nobody from answering.
 */
export function Reviewers({ item, looking }: { item: InboxItem; looking: boolean }) {
  const { namespace, threadId, runId, reviewers } = item;
  const [others, setOthers] = useState(reviewers ?? []);
  useEffect(() => setOthers(reviewers ?? []), [item]);
  useEffect(() => (looking ? review({ namespace, threadId }, setOthers) : undefined), [looking, namespace, threadId, runId]);
  return (
    <span role="status" className={others.length > 0 ? "tag" : undefined} data-testid="inbox-reviewers">
      {others.length > 0 && inbox.looksAtThis(reviewersWords(others))}
    </span>
  );
}

/** Who looks. */
export function reviewersWords(names: readonly string[]): string {
  const shown = names.map(visible);
  return shown.length === 1 ? inbox.looks(shown[0]!) : inbox.look(shown.slice(0, -1).join(", "), shown.at(-1)!);
}

/** Tells again and again that this is looked at, and hears who else does, until the returned function is called or the page goes. */
export function review({ namespace, threadId }: Pick<InboxItem, "namespace" | "threadId">, hear: (others: string[]) => void): () => void {
  const path = `/threads/${encodeURIComponent(threadId)}/interrupts/review?namespace=${encodeURIComponent(namespace)}`;
  let over = false;
  let told: Promise<void> = Promise.resolve();
  const tell = async () => {
    try {
      const { reviewers } = await call<{ reviewers: string[] }>("PUT", path);
      if (!over) hear(reviewers);
    } catch {
      // It is open no more, which the list will say, or the next time tells it.
    }
  };
  // The request outlives the page.
  const leave = () => void request(path, { method: "DELETE", keepalive: true }).catch(() => undefined);
  const telling = poll(() => (told = tell()), EVERY_MS, document);
  addEventListener("pagehide", leave);
  return () => {
    over = true;
    telling.end();
    removeEventListener("pagehide", leave);
    // What is on its way would come after it.
    void told.then(leave);
  };
}
