import type { Interrupt } from "@ag-ui/client";
import { at } from "../lib/base";
import { type ReactNode, useEffect, useState } from "react";
import { ArgFields } from "../../../react/decision/ArgFields";
import { Facts } from "../../../react/decision/Facts";
import { waits } from "../../../react/forms/question";
import { aboutWhat, calledBy } from "../../../react/forms/wording";
import { ApiError, call, usePolled, type DecisionInfo, type InboxItem, type Page, type RunInfo } from "../server/api";
import { Bar } from "../bar/Bar";
import { withEarlier, withLast, type MessagePage } from "./held";
import { Marked } from "../../../react/lib/Marked";
import { MessageList } from "./MessageList";
import { visible } from "../../../react/lib/misleading";
import { Older } from "./Older";
import { ThreadRecord } from "../decision/record";
import { goInstead, onLink, threadHref } from "../lib/route";
import { bearer } from "../server/session";
import SignIn from "../server/SignIn";
import { sentence, staleWords, wordsFor } from "../lib/words";
import { parts, words } from "../words";
import { apart } from "../words/apart";

const EVERY_MS = 10_000;

/** So many messages are read at once, and so many of the latest decisions and runs. */
const SIZE = 200;
const ON_RECORD = 100;

interface Props {
  threadId: string;
  namespace: string;
}

/** A thread of a namespace that may be another than one's own: then it is only read, as far as that is allowed. */
export default function Elsewhere(thread: Props) {
  const [others, isOthers] = useState(false);
  return others ? <Others {...thread} /> : <Whose {...thread} others={() => isOthers(true)} />;
}

/** Finds out whose a thread is, and leads to the chat if it is one's own. */
function Whose({ threadId, namespace, others }: Props & { others: () => void }) {
  // Runs say of which namespace they are, and this tells of the own one alone.
  const { data, error } = usePolled<Page<RunInfo>>(`/runs?thread=${encodeURIComponent(threadId)}&limit=1`, EVERY_MS);
  const mine = data && data.items[0]?.namespace === namespace;
  const known = mine ?? (error?.status === 403 ? false : undefined);
  useEffect(() => {
    if (known) goInstead(threadHref(threadId));
    else if (known === false) others();
  }, [known]);
  if (error && error.status !== 403) return <Frame>{unread(error, false)}</Frame>;
  return (
    <Frame>
      <Loading />
    </Frame>
  );
}

function unread(error: ApiError, shown: boolean): ReactNode {
  if (error.status === 401) return <SignIn wrong={bearer() !== undefined} />;
  return (
    <p className="banner" role="alert">
      {staleWords(error, shown)}
    </p>
  );
}

function Others({ threadId, namespace }: Props) {
  const of = `/threads/${encodeURIComponent(threadId)}`;
  const query = `namespace=${encodeURIComponent(namespace)}`;
  const asks = usePolled<Page<InboxItem>>(`${of}/interrupts?${query}`, EVERY_MS);
  const last = usePolled<MessagePage>(`${of}/messages?${query}&limit=${SIZE}`, EVERY_MS);
  const [item] = asks.data?.items ?? [];
  const title = item && visible(item.title || words.threads.untitled);
  const { error } = last;
  const closed = error?.status === 403 || error?.status === 404;
  return (
    <Frame title={title}>
      <p className="banner" role="status">
        {apart.somebodyElses}{last.data && !closed && apart.readOnly}{" "}
        <a href={at("/inbox")} onClick={onLink}>
          {apart.backToInbox}
        </a>
      </p>
      {closed && (
        <section className="empty" aria-label={apart.notToRead} data-testid="others-closed">
          <h2>{apart.mayNotRead}</h2>
          <p className="hint">
            {apart.shownToOwner} {item ? apart.answerInInbox : apart.orDeleted}
          </p>
        </section>
      )}
      {error && !closed && unread(error, last.data !== undefined)}
      {!last.data && !error && <Loading />}
      {last.data && !closed && <Conversation of={of} query={query} last={last.data} asked={item} />}
      {item && item.interrupts.length > 0 && (
        <section className="question" aria-label={apart.itsQuestions} data-testid="others-asks">
          <h2>{item.interrupts.every(({ interrupt }) => waits(String(interrupt.reason))) ? apart.itWaits : apart.itWaitsForAnswer}</h2>
          {item.interrupts.map(({ id, interrupt, toolCall }) => {
            const one = interrupt as unknown as Interrupt;
            return (
              <div key={id} className="others-ask">
                <p dir="auto">
                  <Marked text={aboutWhat(one, calledBy(toolCall), parts)} />
                </p>
                <Facts tool={toolCall?.name} asker={item} />
                {toolCall && <ArgFields text={toolCall.arguments || "{}"} hook="proposed-args" label={apart.argumentsOfCall} compact />}
              </div>
            );
          })}
        </section>
      )}
    </Frame>
  );
}

const NOBODY: ReadonlyMap<string, string> = new Map();

interface ConversationProps {
  of: string;
  query: string;
  last: MessagePage;
  asked: InboxItem | undefined;
}

function Conversation({ of, query, last, asked }: ConversationProps) {
  const [held, hold] = useState(last);
  useEffect(() => hold((now) => withLast(now, last)), [last]);
  const [fault, setFault] = useState<string>();
  const earlier = () => {
    if (held.before === undefined) return false;
    setFault(undefined);
    call<MessagePage>("GET", `${of}/messages?${query}&limit=${SIZE}&before=${encodeURIComponent(held.before)}`).then(
      (page) => hold((now) => withEarlier(now, page)),
      (failed: unknown) => setFault(failed instanceof ApiError ? `${sentence(failed.message)} ${wordsFor(failed.code).advice}` : String(failed)),
    );
    return true;
  };
  const { decided, marks, running } = useRecord(of, query, last, asked);
  return (
    <>
      {fault && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <Older count={held.older ?? 0} first={held.items[0]?.id} running={false} ask={earlier} />
      <MessageList
        messages={held.items}
        interrupts={(asked?.interrupts ?? []).map(({ interrupt }) => interrupt as unknown as Interrupt)}
        running={running}
        subagents={NOBODY}
        decided={decided}
        marks={marks}
        // Nothing is tried again from here.
        sending
        retry={() => {}}
      />
    </>
  );
}

/** What was decided and how turns ended, read whenever what was said or is asked has changed. */
function useRecord(of: string, query: string, last: MessagePage, asked: InboxItem | undefined) {
  const [record, setRecord] = useState({ ...new ThreadRecord().look(), running: false });
  useEffect(() => {
    let over = false;
    Promise.all([
      call<Page<DecisionInfo>>("GET", `${of}/decisions?${query}&limit=${ON_RECORD}`),
      call<Page<RunInfo>>("GET", `${of}/runs?${query}&limit=${ON_RECORD}`),
    ]).then(
      ([decisions, runs]) => {
        if (over) return;
        const told = new ThreadRecord();
        told.learn(decisions.items, runs.items);
        setRecord({ ...told.look(), running: runs.items.some(({ state }) => state === "claimed") });
      },
      () => {}, // what was said is there without it
    );
    return () => {
      over = true;
    };
  }, [of, query, last, asked]);
  return { decided: record.calls, marks: record.marks, running: record.running };
}

function Frame({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <div className="place">
      <Bar title={title} />
      <div className="page">
        <main data-testid="others-chat">{children}</main>
      </div>
    </div>
  );
}

function Loading() {
  return (
    <p className="hint center" role="status">
      {words.chat.loading}
    </p>
  );
}
