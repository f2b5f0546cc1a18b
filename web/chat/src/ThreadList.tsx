import { type SyntheticEvent, useEffect, useRef, useState } from "react";
import { call, usePolled, type Page, type ThreadInfo } from "./api";
import { Guarded } from "./Guarded";
import { ofThreads, ofWaiting } from "./notices";
import { onLink, threadHref } from "./route";
import { ThreadPlace } from "./ThreadPlace";
import { threadGroups } from "./threadgroups";
import { ago } from "./time";
import { staleWords } from "./words";

/** How often the list is asked for where no notices come, in milliseconds. */
const EVERY_MS = 5_000;

const NONE: ThreadInfo[] = [];

interface ListProps {
  current: string;
  /** So much was sent from here and is not known to have been taken. */
  outgoing: number;
  begin: () => void;
  /** Puts the list away; left out where it always has a place. */
  close?: () => void;
}

/** The threads of the namespace: those that wait for an answer first, then by day, latest first. */
export function ThreadList({ current, outgoing, begin, close }: ListProps) {
  const { data, error, refresh } = usePolled<Page<ThreadInfo>>("/threads?limit=50", EVERY_MS, ofThreads);
  const { data: waiting } = usePolled<Page<ThreadInfo>>("/threads?waiting=true&limit=50", EVERY_MS, ofWaiting);
  const before = useRef(outgoing);
  useEffect(() => {
    // What was taken may wait for its run, or be the first of its thread.
    if (outgoing < before.current) refresh();
    before.current = outgoing;
  }, [outgoing, refresh]);
  return (
    <nav className="threads" aria-label="Chats" data-testid="thread-list">
      <div className="actions">
        <h2>Chats</h2>
        <span className="spacer" />
        {close && (
          <button type="button" className="quiet" data-testid="hide-threads" autoFocus onClick={close}>
            Close
          </button>
        )}
      </div>
      {error && (
        <p className="hint" role="status">
          {staleWords(error, data !== undefined)}
        </p>
      )}
      {data?.items.length === 0 && !waiting?.items.length && !error && <p className="hint">None yet.</p>}
      {threadGroups(data?.items ?? NONE, waiting?.items ?? NONE).map(({ name, threads }) => (
        <section key={name} aria-label={name} data-testid="thread-group">
          <h3>{name}</h3>
          <ul>
            {threads.map((thread) => (
              <Row key={thread.threadId} thread={thread} listed={data?.items ?? NONE} current={thread.threadId === current} changed={refresh} begin={begin} />
            ))}
          </ul>
        </section>
      ))}
      {data?.next && <p className="hint">The latest 50 are shown.</p>}
    </nav>
  );
}

interface RowProps {
  thread: ThreadInfo;
  listed: readonly ThreadInfo[];
  current: boolean;
  changed: () => void;
  begin: () => void;
}

function Row({ thread, listed, current, changed, begin }: RowProps) {
  const [sure, ask] = useState(false);
  const [fault, setFault] = useState<string>();
  const title = thread.title || "Untitled";
  const forget = async () => {
    ask(false);
    try {
      await call("DELETE", `/threads/${encodeURIComponent(thread.threadId)}`);
      if (current) begin();
      changed();
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  const mark = useRef<HTMLButtonElement>(null);
  const keep = (event: SyntheticEvent) => {
    event.preventDefault();
    ask(false);
    requestAnimationFrame(() => mark.current?.focus());
  };
  return (
    <li data-testid="thread" data-thread-id={thread.threadId} data-waiting={thread.waiting}>
      <a href={threadHref(thread.threadId)} aria-current={current ? "page" : undefined} onClick={onLink}>
        <span className="title">{title}</span>
        <span className="hint">
          {thread.waiting ? "waiting for you" : thread.active ? "working" : thread.queued > 0 ? "queued" : ago(thread.updatedAt)}
        </span>
      </a>
      <ThreadPlace thread={thread} listed={listed} />
      {!thread.waiting && !thread.active && thread.queued === 0 && !sure && (
        <button
          type="button"
          ref={mark}
          className="quiet"
          aria-label={`Delete ${title}`}
          title="Delete"
          data-testid="delete-thread"
          onClick={() => ask(true)}
        >
          ×
        </button>
      )}
      {sure && (
        <div className="actions sure" role="group" aria-label={`Delete ${title}?`} onKeyDown={(event) => event.key === "Escape" && keep(event)}>
          <Guarded subject={thread.threadId}>
            <button type="button" data-testid="delete-surely" onClick={() => void forget()}>
              Delete for good
            </button>
          </Guarded>
          <button type="button" className="quiet" autoFocus onClick={keep}>
            Keep
          </button>
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
