import type { Interrupt, Message } from "@ag-ui/client";
import { useEffect, useRef, useState } from "react";
import { ApiError, call, usePolled, type InboxItem, type Page } from "./api";
import { decisionOf, entryOf, type Answer } from "./answers";
import { Bar } from "./Bar";
import { Guarded } from "./Guarded";
import { InterruptCard } from "./InterruptCard";
import { useKept } from "./kept";
import { KeptPlace } from "./KeptPlace";
import { visible } from "./misleading";
import { onLink, threadHref } from "./route";
import { SignIn } from "./SignIn";
import { bearer } from "./session";
import { ago } from "./time";
import { staleWords, wordsFor } from "./words";

/** How often the inbox is asked for, in milliseconds. */
const EVERY_MS = 2_000;

/** How often it is counted. */
const TOTALS_EVERY_MS = 10_000;

/** Open interrupts across threads, those that have waited longest first; for who answers for nobody else, across the own ones. */
export default function Inbox() {
  const [reason, setReason] = useState("");
  const [cursors, setCursors] = useState<string[]>([]);
  const cursor = cursors.at(-1);
  const path = `/inbox?limit=20${reason && `&reason=${encodeURIComponent(reason)}`}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`;
  const { data, error, refresh } = usePolled<Page<InboxItem>>(path, EVERY_MS);
  const { data: totals } = usePolled<{ total: number }>("/inbox/totals", TOTALS_EVERY_MS);
  const [kept, forget] = useKept(data?.items ?? NONE, keyOf, path);
  const [said, setSaid] = useState<Said[]>([]);
  const say = (one: Said) => setSaid((before) => [...before, one].slice(-SAID));
  const heading = useRef<HTMLHeadingElement>(null);
  const count = data?.items.length;
  useEffect(() => {
    // What was answered is gone, and its buttons with it.
    if (said.length > 0 && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [count, said]);
  if (error?.status === 401) return <Place><SignIn wrong={bearer() !== undefined} /></Place>;
  return (
    <Place>
      <div className="filter">
        <h2 ref={heading} tabIndex={-1}>
          Waiting for an answer
        </h2>
        {totals !== undefined && totals.total > 0 && (
          <span className="tag" data-testid="inbox-total">
            {totals.total}
          </span>
        )}
        <span className="spacer" />
        <label>
          <span className="hint">Reason </span>
          <select
            value={reason}
            data-testid="inbox-reason"
            onChange={(event) => {
              setReason(event.target.value);
              setCursors([]);
            }}
          >
            <option value="">any</option>
            {reasonsIn(data?.items, reason).map((one) => (
              <option key={one} value={one}>
                {REASONS[one] ?? visible(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error && (
        <p className="banner" role="alert" data-testid="inbox-error">
          {error.status === 403
            ? "Your identity may not see the inbox: it needs the scope read or approver."
            : staleWords(error, data !== undefined)}
        </p>
      )}
      {data?.partial && (
        <p className="banner" role="status" data-testid="inbox-partial">
          A part of the store does not answer: more may wait than is shown.
        </p>
      )}
      {!data && !error && <p className="hint center">Loading…</p>}
      {data && kept.length === 0 && (
        <p className="hint center" data-testid="inbox-empty">
          Nothing waits for you. Questions of all chats come here by themselves.
        </p>
      )}
      <div className="inbox">
        {kept.map(({ item, gone }) => {
          const key = keyOf(item);
          const here = said.filter((one) => one.key === key);
          return (
            <KeptPlace key={key} gone={gone} others={data?.items.length !== 0} leave={() => forget(key)}>
              {!gone && <Item item={item} say={say} changed={refresh} />}
              {gone && here.map(({ text }, i) => <p key={i}>{text}</p>)}
              {gone && here.length === 0 && <p>Not open any more: it was answered or given up elsewhere.</p>}
            </KeptPlace>
          );
        })}
      </div>
      {(cursor || data?.next) && (
        <div className="actions center">
          <button type="button" disabled={!cursor} onClick={() => setCursors(cursors.slice(0, -1))}>
            Earlier
          </button>
          <button type="button" disabled={!data?.next} onClick={() => setCursors([...cursors, data!.next!])}>
            Later
          </button>
        </div>
      )}
      {said.length > 0 && (
        <ul className="said-here" role="status" data-testid="inbox-said">
          {said.map(({ text }, i) => (
            <li key={i}>{text}</li>
          ))}
        </ul>
      )}
    </Place>
  );
}

/** What was done here about a thread. */
interface Said {
  key: string;
  text: string;
}

/** So many of the last things done are still said. */
const SAID = 5;

const NONE: InboxItem[] = [];

function keyOf({ namespace, threadId }: InboxItem): string {
  return `${namespace}\u0000${threadId}`;
}

/** Reasons in words; others are offered as they are where something waits for them. */
const REASONS: Record<string, string> = {
  tool_call: "tool call",
  input_required: "input",
  confirmation: "confirmation",
  "aguiws:uncertain_step": "uncertain step",
  "aguiws:paused": "paused",
};

function reasonsIn(items: InboxItem[] | undefined, chosen: string): string[] {
  const waiting = (items ?? []).flatMap((item) => item.interrupts.map((one) => String(one.interrupt.reason)));
  return [...new Set([...Object.keys(REASONS), ...waiting, ...(chosen === "" ? [] : [chosen])])];
}

function Place({ children }: { children: React.ReactNode }) {
  return (
    <div className="place">
      <Bar />
      <div className="page">
        <main>{children}</main>
      </div>
    </div>
  );
}

interface ItemProps {
  item: InboxItem;
  say: (said: Said) => void;
  changed: () => void;
}

/** An item as the list has it, or, where that is a summary, the whole of it once it is asked for. */
function Item(props: ItemProps) {
  const { item } = props;
  const [whole, setWhole] = useState<InboxItem>();
  const [fault, setFault] = useState<string>();
  const summary = (item.omitted ?? 0) > 0 || item.interrupts.some((one) => one.truncated);
  if (!summary) return <Open {...props} />;
  if (whole && whole.runId === item.runId) return <Open {...props} item={whole} />;
  const title = visible(item.title || "Untitled");
  const show = async () => {
    setFault(undefined);
    try {
      const path = `/threads/${encodeURIComponent(item.threadId)}/interrupts?namespace=${encodeURIComponent(item.namespace)}`;
      const [got] = (await call<Page<InboxItem>>("GET", path)).items;
      if (got) setWhole({ ...got, since: item.since });
      else props.changed();
    } catch (error) {
      setFault(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <section className="inbox-item" data-testid="inbox-item" data-thread-id={item.threadId} aria-label={title}>
      <header>
        <a href={threadHref(item.threadId)} onClick={onLink}>
          {title}
        </a>
        <span className="hint">{ago(item.since)}</span>
        <span className="tag">{item.interrupts.length + (item.omitted ?? 0)} to answer</span>
      </header>
      {item.interrupts.map((one) => (
        <p key={one.id}>
          {visible(String(one.interrupt.message ?? one.toolCall?.name ?? one.interrupt.reason))}
          {one.truncated && " …"}
        </p>
      ))}
      {fault && <p role="alert">{fault}</p>}
      <div className="actions">
        <button type="button" data-testid="inbox-whole" onClick={() => void show()}>
          Show all of it, to answer
        </button>
      </div>
    </section>
  );
}

function Open({ item, say, changed }: ItemProps) {
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<{ code: string; message: string; again: () => void }>();
  const base = `/threads/${encodeURIComponent(item.threadId)}/interrupts`;
  const of = `?namespace=${encodeURIComponent(item.namespace)}`;
  const title = visible(item.title || "Untitled");
  const drafted = item.interrupts.filter((one) => one.draft).length;

  const attempt = async (what: () => Promise<string>) => {
    setSending(true);
    setFault(undefined);
    try {
      say({ key: keyOf(item), text: await what() });
    } catch (error) {
      const again = () => void attempt(what);
      setFault(error instanceof ApiError ? { code: error.code, message: error.message, again } : { code: "client", message: String(error), again });
    }
    setSending(false);
    changed();
  };
  const decide = (interrupt: Interrupt, answer: Answer | undefined) =>
    void attempt(async () => {
      const { id } = interrupt;
      if (!answer) {
        await call("DELETE", `${base}/${encodeURIComponent(id)}/draft${of}`);
        return `The answer for ${title} was taken back.`;
      }
      const decision = decisionOf(interrupt, messagesOf(interrupt, toolCallOf(item, id)), answer);
      const { missing } = await call<{ missing: string[] }>("POST", `${base}/resolve${of}`, { entries: [entryOf(id, answer)] });
      return missing.length > 0 ? `${decision}: kept as a draft. ${missing.length} more to answer for ${title}.` : `${decision}: ${title} goes on.`;
    });

  return (
    <section className="inbox-item" data-testid="inbox-item" data-thread-id={item.threadId} aria-label={title}>
      <header>
        <a href={threadHref(item.threadId)} onClick={onLink}>
          {title}
        </a>
        <span className="hint">{ago(item.since)}</span>
        {item.interrupts.length > 1 && (
          <span className="tag" data-testid="inbox-progress">
            {drafted} of {item.interrupts.length} answered
          </span>
        )}
      </header>
      {item.corrupted && (
        <p role="alert" data-testid="inbox-corrupted">
          {wordsFor("state_corrupted").title}, so it cannot be answered. {wordsFor("state_corrupted").advice}
        </p>
      )}
      {item.interrupts.map((one) => {
        const interrupt = one.interrupt as unknown as Interrupt;
        return (
          <InterruptCard
            key={one.id}
            interrupt={interrupt}
            messages={messagesOf(interrupt, one.toolCall)}
            answer={one.draft}
            disabled={sending}
            decide={(answer) => decide(interrupt, answer)}
          />
        );
      })}
      {sending && (
        <p className="hint late-shown" role="status">
          Sending…
        </p>
      )}
      {fault && (
        <div className="error" role="alert" data-testid="error" data-code={fault.code}>
          <div>
            <strong>{wordsFor(fault.code).title}</strong>
            <p className="said">{fault.message}</p>
            <p>{wordsFor(fault.code).advice}</p>
          </div>
          <Guarded subject={fault.code}>
            <button type="button" data-testid="retry" disabled={sending} onClick={fault.again}>
              Send again
            </button>
          </Guarded>
        </div>
      )}
    </section>
  );
}

function toolCallOf(item: InboxItem, id: string) {
  return item.interrupts.find((one) => one.id === id)?.toolCall;
}

/** The one message that the card looks the call up in. */
function messagesOf(interrupt: Interrupt, toolCall: { name: string; arguments: string } | undefined): Message[] {
  if (!toolCall || !interrupt.toolCallId) return [];
  return [{ id: "call", role: "assistant", toolCalls: [{ id: interrupt.toolCallId, type: "function", function: toolCall }] }];
}
