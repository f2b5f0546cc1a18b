import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { control, usePolled, type Page, type ThreadInfo } from "../server/api";
import { pageDeletions } from "./deletions";
import { useDue } from "../../../react/lib/DueTag";
import { Guarded } from "../../../react/lib/Guarded";
import { Icon } from "../../../react/lib/Icon";
import { visible } from "../../../react/lib/misleading";
import { NewChat } from "./NewChat";
import { ofChatsWaiting, ofThreads } from "../server/notices";
import { RenameThread } from "./RenameThread";
import { onLink, threadHref } from "../lib/route";
import { ThreadPlace } from "./ThreadPlace";
import { ago } from "../../../react/lib/time";
import { exactly } from "../lib/exactly";
import { folded, saysMore, threadGroups, type ThreadGroup } from "./threadgroups";
import { hasExpired, hasFailed, stands } from "../../../react/threads/stands";
import { useThreads } from "../../../react/threads/useThreads";
import { searchThreads } from "./threadsearch";
import { useMay } from "../server/who";
import { asksWords } from "../../../react/inbox/asks";
import { alike } from "../../../react/lib/alike";
import { useWide } from "../lib/wide";
import { staleWords } from "../lib/words";
import { parts, words } from "../words";

/** How often those that wait are asked for where no notices come, in milliseconds. */
const EVERY_MS = 5_000;

const NONE: ThreadInfo[] = [];

/** How far the list is scrolled, which outlives a look at another chat, in pixels. */
let scrolled = 0;

interface ListProps {
  current: string;
  /** So much was sent from here and is not known to have been taken. */
  outgoing: number;
  begin: () => void;
  /** Hears what the current one is called. */
  titled: (title: string | undefined) => void;
  /** Puts the list away; left out where it always has a place. */
  close?: () => void;
}

/** The threads of the namespace: those that wait for an answer first, then by day, latest first. */
export function ThreadList({ current, outgoing, begin, titled, close }: ListProps) {
  const { items, error, more, fetching, fault, refresh } = useThreads(control, ofThreads);
  const { data: waiting } = usePolled<Page<ThreadInfo>>("/threads?waiting=true&limit=50", EVERY_MS, ofChatsWaiting);
  // What expires waits for nobody, though nothing has come of it.
  useDue([...(items ?? NONE), ...(waiting?.items ?? NONE)]);
  const before = useRef(outgoing);
  useEffect(() => {
    // What was taken may wait for its run, or be the first of its thread.
    if (outgoing < before.current) refresh();
    before.current = outgoing;
  }, [outgoing, refresh]);
  const called = items?.find(({ threadId }) => threadId === current)?.title || undefined;
  useEffect(() => {
    titled(called);
    return () => titled(undefined);
  }, [titled, called]);
  const deletions = pageDeletions();
  const { held } = useSyncExternalStore(deletions.watch, deletions.look);
  useEffect(() => {
    deletions.gone = refresh;
  }, [deletions, refresh]);
  const writes = useMay("run") !== false;
  const [wanted, search] = useState("");
  const touched = useWide("(pointer: coarse)");
  const searching = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const keyed = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || !searching.current) return;
      event.preventDefault();
      searching.current.select();
    };
    addEventListener("keydown", keyed);
    return () => removeEventListener("keydown", keyed);
  }, []);
  const list = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (list.current) list.current.scrollTop = scrolled;
  }, []);
  /** The first of those that were asked for, until it is drawn. */
  const come = useRef<string>(undefined);
  const showMore = async (fetch: () => Promise<ThreadInfo | undefined>) => {
    come.current = (await fetch())?.threadId;
    goOn();
  };
  // The button may be gone, and whoever goes on with the keyboard goes on with what has come.
  const goOn = () => {
    const first = come.current && list.current?.querySelector<HTMLElement>(`[data-thread-id="${CSS.escape(come.current)}"] a`);
    if (!first) return;
    come.current = undefined;
    first.focus();
  };
  useEffect(goOn);
  const hidden = new Set(held.map(({ threadId }) => threadId));
  const shown = (all: readonly ThreadInfo[]) => searchThreads(all, wanted).filter(({ threadId }) => !hidden.has(threadId));
  const groups = threadGroups(shown(items ?? NONE), shown(waiting?.items ?? NONE));
  const asks = new Map(waiting?.items.flatMap(({ threadId, asks }) => (asks ? [[threadId, asks]] : [])));
  const same = alike(groups.flatMap(({ waits, threads }) => threads.map((thread) => inWords(thread, waits))));
  const found = words.threads.found(groups.reduce((sum, { threads }) => sum + threads.length, 0));
  const some = (items?.length ?? 0) > 0 || (waiting?.items.length ?? 0) > 0;
  return (
    <nav ref={list} className="threads" aria-label={words.threads.chats} data-testid="thread-list" onScroll={({ currentTarget, target }) => target === currentTarget && (scrolled = currentTarget.scrollTop)}>
      <div className="threads-head">
        <div className="actions">
          <h2>{words.threads.chats}</h2>
          <span className="spacer" />
          {close ? (
            <button type="button" className="quiet" data-testid="hide-threads" autoFocus onClick={close}>
              {words.threads.close}
            </button>
          ) : (
            writes && <NewChat begin={begin} quiet />
          )}
        </div>
        {some && (
          <input
            ref={searching}
            type="search"
            className="thread-search"
            placeholder={touched ? words.threads.search : words.threads.searchKey}
            aria-label={words.threads.searchChats}
            autoComplete="off"
            spellCheck={false}
            value={wanted}
            data-testid="thread-search"
            onChange={(event) => search(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || wanted === "") return;
              event.stopPropagation();
              search("");
            }}
          />
        )}
      </div>
      {error && (
        <p className="hint" role="status">
          {staleWords(error, items !== undefined)}
        </p>
      )}
      {items?.length === 0 && !waiting?.items.length && !error && <p className="hint">{words.threads.noneYet}</p>}
      {some && wanted.trim() !== "" && (
        <p className="hint" role="status" data-testid="thread-found">
          {more ? words.threads.amongLatest(found, items?.length ?? 0) : `${found}.`}
        </p>
      )}
      {groups.map((group) => (
        <Group key={group.name} group={group} whole={wanted.trim() !== ""} same={same} asks={asks} listed={items ?? NONE} current={current} changed={refresh} begin={begin} />
      ))}
      {more && (
        <div className="actions center">
          <button type="button" className="quiet" data-testid="more-threads" aria-disabled={fetching || undefined} onClick={() => void showMore(more)}>
            {fetching ? words.threads.fetching : wanted.trim() === "" ? words.threads.showOlder : words.threads.lookAmongOlder}
          </button>
        </div>
      )}
      {fault && (
        <p className="hint" role="status">
          {words.threads.olderFailed(fault)}
        </p>
      )}
    </nav>
  );
}

interface GroupProps {
  group: ThreadGroup;
  /** All of it is shown: somebody looks for something. */
  whole: boolean;
  /** Words that several chats have. */
  same: ReadonlySet<string>;
  /** What those that wait ask next. */
  asks: ReadonlyMap<string, NonNullable<ThreadInfo["asks"]>>;
  listed: readonly ThreadInfo[];
  current: string;
  changed: () => void;
  begin: () => void;
}

/** Chats below a heading. Of those that wait, only the first are there at once: others would be out of sight for them. */
function Group({ group, whole, current, ...more }: GroupProps) {
  const [open, setOpen] = useState(false);
  const { name, waits, threads } = group;
  const shown = open || whole ? threads : folded(group, current);
  const left = threads.length - shown.length;
  return (
    <section aria-label={name} data-testid="thread-group">
      <h3>{name}</h3>
      <ul>
        {shown.map((thread) => (
          <Row key={thread.threadId} thread={thread} waits={waits} current={thread.threadId === current} {...more} />
        ))}
      </ul>
      {(left > 0 || open) && !whole && (
        <button type="button" className="quiet" data-testid="more-waiting" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.threads.showFewer : words.threads.showMore(left)}
        </button>
      )}
    </section>
  );
}

/** How it stands with a chat, of which its heading may say that it waits. */
function standing(thread: ThreadInfo, waits: boolean): string {
  return waits && thread.waitsOn === undefined && !hasExpired(thread) ? ago(thread.updatedAt, Date.now(), parts) : stands(thread, parts);
}

/** What tells a chat from others. */
function inWords(thread: ThreadInfo, waits: boolean): string {
  return `${thread.title} ${standing(thread, waits)}`;
}

interface RowProps extends Pick<GroupProps, "same" | "asks" | "listed" | "changed" | "begin"> {
  thread: ThreadInfo;
  /** It stands among those that wait, whose heading says so. */
  waits: boolean;
  current: boolean;
}

/** A command that nothing is said with: what it has had the agent ask says more. */
const COMMAND = /^\/[A-Za-z][A-Za-z0-9_-]*[^\p{L}]*$/u;

function Row({ thread, waits, same, asks, listed, current, changed, begin }: RowProps) {
  const [renaming, rename] = useState(false);
  const [fault, setFault] = useState<string>();
  const writes = useMay("run", "admin") !== false;
  const asked = asks.get(thread.threadId);
  const question = waits && asked ? visible(asksWords({ interrupts: [asked] }, parts)) : "";
  const title = question !== "" && COMMAND.test(thread.title) ? question : visible(thread.title || words.threads.untitled);
  const row = useRef<HTMLLIElement>(null);
  // Where the chat stands that is looked at is seen; that moves the list alone.
  useEffect(() => {
    if (current) row.current?.scrollIntoView({ block: "nearest", container: "nearest" } as ScrollIntoViewOptions);
  }, [current, waits]);
  const pencil = useRef<HTMLButtonElement>(null);
  const back = useRef(false);
  useEffect(() => {
    if (renaming || !back.current) return;
    back.current = false;
    if (document.activeElement === document.body) pencil.current?.focus();
  }, [renaming]);
  const renamed = (changedIt: boolean) => {
    back.current = true;
    rename(false);
    if (changedIt) changed();
  };
  const keyed = (event: KeyboardEvent) => {
    if (event.key !== "F2" || renaming || !writes) return;
    event.preventDefault();
    rename(true);
  };
  const forget = () => {
    // Where it stood there may be nothing: whoever goes on with the keyboard goes on with the list.
    pageDeletions().hold(thread.threadId, thread.title || words.threads.untitled);
    if (current) begin();
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-testid="deleted"][data-thread-id="${CSS.escape(thread.threadId)}"] button`)?.focus());
  };
  return (
    <li ref={row} data-testid="thread" data-thread-id={thread.threadId} data-waiting={thread.waiting} data-failed={hasFailed(thread)} onKeyDown={keyed}>
      {renaming ? (
        <RenameThread threadId={thread.threadId} title={thread.title || words.threads.untitled} done={renamed} failed={setFault} />
      ) : (
        <a href={threadHref(thread.threadId)} aria-current={current ? "page" : undefined} onClick={onLink}>
          <span className="title" dir="auto">
            {title}
          </span>
          {saysMore(question, title) && (
            <span className="hint asks" dir="auto" data-testid="thread-asks">
              {question}
            </span>
          )}
          <span className="hint">{standing(thread, waits)}</span>
          {same.has(inWords(thread, waits)) && thread.createdAt !== undefined && <span className="hint">{words.threads.begun(exactly(thread.createdAt))}</span>}
        </a>
      )}
      <ThreadPlace thread={thread} listed={listed} />
      {!renaming && writes && (
        <div className="thread-does">
          <button type="button" ref={pencil} className="quiet" aria-label={words.threads.rename(title)} title={words.threads.renameKey} data-testid="rename-thread" onClick={() => rename(true)}>
            <Icon name="pen" />
          </button>
          {!thread.active && thread.queued === 0 && (
            <Guarded subject={thread.threadId}>
              <button type="button" className="quiet" aria-label={words.threads.remove(title)} title={thread.waiting ? words.threads.deleteAndCancel : words.threads.deleteIt} data-testid="delete-thread" onClick={forget}>
                ×
              </button>
            </Guarded>
          )}
        </div>
      )}
      {fault && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </li>
  );
}
