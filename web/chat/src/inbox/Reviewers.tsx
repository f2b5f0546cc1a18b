import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError, call, request, type InboxItem } from "../server/api";
import { poll } from "../../../react/control/poll";
import { visible } from "../../../react/lib/misleading";
import { askKeyOf } from "./asked";
import type { Waiting } from "./held";
import { wordsFor } from "../lib/words";
import { inbox } from "../words/inbox";

/** The server forgets who looks after a minute: so often it is told again, in milliseconds. */
const EVERY_MS = 20_000;

export interface Reviews {
  /** Who else looks at it, beside whoever has it assigned. */
  others: (item: InboxItem) => readonly string[];
  /** Who else has it assigned. */
  assignee: (item: InboxItem) => string | undefined;
  /** Whoever looks has it assigned. */
  taken: (item: InboxItem) => boolean;
  /** Takes an item or releases it, and answers why that failed. Left out where the server does not tell users apart, or the person may not answer. */
  assign?: (method: "PUT" | "DELETE", item: InboxItem) => Promise<string | undefined>;
  /** Tells, as long as it is drawn. */
  telling: ReactNode;
}

type Assigned = Pick<InboxItem, "assignee" | "tenant">;

/** Whether `me` has an item assigned. Among those of all tenants, somebody else may be called so. */
export const isMine = ({ assignee, tenant }: Assigned, me: string | undefined): boolean => assignee !== undefined && assignee === me && tenant === undefined;

/** To whom an item is assigned; undefined: to nobody, or to `me`. */
export const assigneeOf = (item: Assigned, me: string | undefined): string | undefined => (isMine(item, me) ? undefined : item.assignee);

/** Takes an item or releases it; answers why that failed, in words. */
export const assign = (method: "PUT" | "DELETE", item: Pick<InboxItem, "namespace" | "threadId">): Promise<string | undefined> =>
  call(method, pathOf(item, "assignment")).then(
    () => undefined,
    (failed: unknown) => {
      const { title, advice } = wordsFor(failed instanceof ApiError ? failed.code : "client");
      return `${title}. ${advice}`;
    },
  );

/** So many are told of at once. */
const MOST_TOLD = 8;

/** What others are told is looked at: what is open here, and what is answered and can be taken back, which is open to them. */
export function toldOf(open: InboxItem | undefined, unsent: ReadonlyArray<Pick<Waiting, "given">>): InboxItem[] {
  return [...(open ? [open] : []), ...unsent.flatMap(({ given }) => given.items)].slice(0, MOST_TOLD);
}

/**
 * Who looks at which of the items, and has which assigned. `looked`: of these others are told as long as the
 * page is seen. Nobody is kept from answering. The list says both: when it is `old`, it is asked again.
 */
export function useReviews(items: readonly InboxItem[], looked: readonly InboxItem[], me: string | undefined, answers: boolean, old: () => void): Reviews {
  const named = items.some(({ user }) => user !== undefined);
  return {
    others: ({ reviewers = [], assignee }) => reviewers.filter((one) => one !== assignee),
    assignee: (item) => assigneeOf(item, me),
    taken: (item) => isMine(item, me),
    ...(named && answers && { assign: (method, item) => assign(method, item).finally(old) }),
    telling: looked.map((one) => <Telling key={askKeyOf(one)} item={one} hear={(names) => names.join() === (one.reviewers ?? []).join() || old()} />),
  };
}

function Telling({ item: { namespace, threadId }, hear }: { item: InboxItem; hear: (others: string[]) => void }) {
  const last = useRef(hear);
  last.current = hear;
  useEffect(() => review({ namespace, threadId }, (others) => last.current(others)), [namespace, threadId]);
  return null;
}

/** Who else looks at what a thread asks and who has it assigned, and the way to take it, over if need be, and to release it. */
export function Reviewers({ item, reviews: { others, assignee, taken, assign } }: { item: InboxItem; reviews: Reviews }) {
  const names = others(item);
  const other = assignee(item);
  const mine = taken(item);
  const [state, setState] = useState<{ busy?: boolean; fault?: string }>({});
  const change = async () => {
    if (!assign || state.busy) return;
    setState({ busy: true });
    setState({ fault: await assign(mine ? "DELETE" : "PUT", item) });
  };
  return (
    <>
      <span role="status" className={other !== undefined ? "tag" : undefined} data-testid="inbox-assignee">
        {other !== undefined && inbox.assignedTo(visible(other))}
      </span>
      <span role="status" className={names.length > 0 ? "tag" : undefined} data-testid="inbox-reviewers">
        {names.length > 0 && inbox.looksAtThis(reviewersWords(names))}
      </span>
      {assign && (
        <button type="button" title={inbox.takeMeans} data-testid="inbox-take" aria-pressed={mine} aria-disabled={state.busy} onClick={() => void change()}>
          {mine ? inbox.release : other !== undefined ? inbox.takeOver : inbox.take}
        </button>
      )}
      {state.fault && (
        <span className="fault" role="alert" data-testid="inbox-take-fault">
          {state.fault}
        </span>
      )}
    </>
  );
}

/** Who looks. */
export function reviewersWords(names: readonly string[]): string {
  const shown = names.map(visible);
  return shown.length === 1 ? inbox.looks(shown[0]!) : inbox.look(shown.slice(0, -1).join(", "), shown.at(-1)!);
}

const pathOf = ({ namespace, threadId }: Pick<InboxItem, "namespace" | "threadId">, what: string) =>
  `/threads/${encodeURIComponent(threadId)}/interrupts/${what}?namespace=${encodeURIComponent(namespace)}`;

/** Tells again and again that this is looked at, and hears who else does, until the returned function is called or the page goes. */
export function review({ namespace, threadId }: Pick<InboxItem, "namespace" | "threadId">, hear: (others: string[]) => void): () => void {
  const path = pathOf({ namespace, threadId }, "review");
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
