import { type ReactNode, useEffect, useRef, useState } from "react";
import { call, request, type InboxItem } from "../server/api";
import { poll } from "../../../react/control/poll";
import { visible } from "../../../react/lib/misleading";
import { askKeyOf } from "./asked";
import { inbox } from "../words/inbox";

/** The server forgets who looks after a minute: so often it is told again, in milliseconds. */
const EVERY_MS = 20_000;

export interface Reviews {
  /** Who else looks at it. */
  others: (item: InboxItem) => readonly string[];
  /** Somebody here has taken it: it counts as looked at while others are. */
  taken: (item: InboxItem) => boolean;
  /** Left out where the server does not tell users apart. */
  take?: (item: InboxItem) => void;
  /** Others are not told of it any more, even if it is looked at. */
  release: (item: InboxItem) => void;
  /** Tells, as long as it is drawn. */
  telling: ReactNode;
}

/**
 * Who looks at which of the items. `looked`: it is open here, which others are told as long as the page is seen. Nobody
 * is kept from answering. The list says who looks, in its rows and beside them: when it is `old`, it is asked again.
 */
export function useReviews(items: readonly InboxItem[], looked: InboxItem | undefined, old: () => void): Reviews {
  const [mine, setMine] = useState<Readonly<Record<string, boolean>>>({});
  const named = items.some(({ user }) => user !== undefined);
  const set = (item: InboxItem, taken: boolean) => setMine((before) => ({ ...before, [askKeyOf(item)]: taken }));
  const told = items.filter((item) => mine[askKeyOf(item)] ?? item === looked);
  return {
    others: ({ reviewers = [] }) => reviewers,
    taken: (item) => mine[askKeyOf(item)] === true,
    ...(named && { take: (item: InboxItem) => set(item, true) }),
    release: (item) => set(item, false),
    telling: told.map((item) => <Telling key={askKeyOf(item)} item={item} hear={(names) => names.join() === (item.reviewers ?? []).join() || old()} />),
  };
}

function Telling({ item: { namespace, threadId }, hear }: { item: InboxItem; hear: (others: string[]) => void }) {
  const last = useRef(hear);
  last.current = hear;
  useEffect(() => review({ namespace, threadId }, (others) => last.current(others)), [namespace, threadId]);
  return null;
}

/** Who else looks at what a thread asks, and the way to take it before others and to release it. */
export function Reviewers({ item, reviews: { others, taken, take, release } }: { item: InboxItem; reviews: Reviews }) {
  const names = others(item);
  const mine = taken(item);
  return (
    <>
      <span role="status" className={names.length > 0 ? "tag" : undefined} data-testid="inbox-reviewers">
        {names.length > 0 && inbox.looksAtThis(reviewersWords(names))}
      </span>
      {take && (
        <button type="button" title={inbox.takeMeans} data-testid="inbox-take" aria-pressed={mine} onClick={() => (mine ? release(item) : take(item))}>
          {mine ? inbox.release : inbox.take}
        </button>
      )}
    </>
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
