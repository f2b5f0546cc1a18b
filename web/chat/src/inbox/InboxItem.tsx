import type { Interrupt, ResumeEntry } from "@ag-ui/client";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError, call, outlives, sizeOf, type InboxItem, type Page } from "../server/api";
import type { Answer } from "../../../react/forms/answers";
import { aboutWhat, calledBy } from "../../../react/forms/wording";
import { messagesOf } from "./bulk";
import { Facts } from "../../../react/decision/Facts";
import { ThreadDue } from "../../../react/lib/DueTag";
import { InterruptCard } from "../decision/InterruptCard";
import { forgetHere } from "../decision/drafts";
import { Questions } from "../decision/Interrupts";
import { stringify } from "../../../react/lib/json";
import { visible } from "../../../react/lib/misleading";
import { isObject } from "../../../react/forms/schema";
import { APPROVE_KEY, keysOn } from "./inboxkeys";
import type { Given } from "./held";
import { isNear, nearOf } from "./late";
import { asksWords } from "../../../react/inbox/asks";
import { useApprovedBefore } from "./approvedbefore";
import { stakeOf } from "./apart";
import { Reviewers, type Reviews } from "./Reviewers";
import { isSaid } from "../lib/issaid";
import { clock } from "../../../react/lib/time";
import { onLink, threadHref } from "../lib/route";
import { wordsFor } from "../lib/words";
import { parts, words } from "../words";
import { inbox } from "../words/inbox";

/** What was done here about what a thread asks. */
export interface Said {
  /** Of what was asked. */
  key: string;
  /** The answer, or what was done with it. */
  text: string;
  /** All of it is answered, and the chat goes on. */
  goesOn: boolean;
  /** The run that goes on, by the server's id, and what is said if the question is open again after it. */
  run?: string;
  openAgain?: (why: string) => string;
}

/** When what is not due soon is said to be. */
const NEVER = {};

interface ItemProps {
  item: InboxItem;
  /** Its place in the list, and how many are in it, if that is all there is and more than one. */
  place?: readonly [n: number, of: number];
  /** It is only looked at: it is answered in its own tenant. */
  readOnly?: boolean;
  /** The person may answer. */
  answers: boolean;
  reviews: Reviews;
  /** Why a yes or no to several did not answer it. */
  refused?: string;
  /** Gives all the answers: they are sent when they cannot be taken back any more. */
  give: (given: Given) => void;
  changed: () => void;
}

/** An item as the list has it, or, where that is a summary, the whole of it once it is asked for. */
export function Item(props: ItemProps) {
  const { item, readOnly } = props;
  const [whole, setWhole] = useState<InboxItem>();
  const [fault, setFault] = useState<string>();
  const summary = (item.omitted ?? 0) > 0 || item.interrupts.some((one) => one.truncated);
  const show = async () => {
    setFault(undefined);
    try {
      const path = `/threads/${encodeURIComponent(item.threadId)}/interrupts?namespace=${encodeURIComponent(item.namespace)}`;
      const [got] = (await call<Page<InboxItem>>("GET", path)).items;
      if (got) setWhole({ ...got, since: item.since, user: item.user, agent: item.agent, reviewers: item.reviewers, assignee: item.assignee });
      else if (!whole) props.changed();
    } catch (error) {
      setFault(error instanceof ApiError ? error.message : String(error));
    }
  };
  useEffect(() => {
    // The list has another answer: what is shown whole may be answered in part by now.
    if (whole && summary) void show();
  }, [item]);
  if (!summary && !readOnly) return <Open {...props} />;
  if (!readOnly && whole && whole.runId === item.runId) {
    const changed = () => {
      void show();
      props.changed();
    };
    return <Open {...props} item={whole} changed={changed} />;
  }
  const title = visible(item.title || words.threads.untitled);
  return (
    <section className="inbox-item" data-testid="inbox-item" data-thread-id={item.threadId} aria-label={title}>
      <Head {...props}>
        <ThreadDue asked={nearOf(item, Date.now())} />
        <span className="tag">{inbox.toAnswer(item.interrupts.length + (item.omitted ?? 0))}</span>
      </Head>
      <Facts asker={item} />
      {item.interrupts.map((one) => (
        <p key={one.id}>
          {aboutWhat(one.interrupt as unknown as Interrupt, calledBy(one.toolCall), parts)}
          {one.truncated && " …"}
        </p>
      ))}
      {fault && <p role="alert">{fault}</p>}
      {!readOnly && (
        <div className="actions">
          <button type="button" data-testid="inbox-whole" onClick={() => void show()}>
            {inbox.showAll}
          </button>
        </div>
      )}
    </section>
  );
}

function Open(props: ItemProps) {
  const { item, answers, refused, give } = props;
  const title = visible(item.title || words.threads.untitled);
  const { before, looking } = useApprovedBefore([item]);
  const open = item.interrupts.map(({ interrupt }) => interrupt as unknown as Interrupt);
  const messages = item.interrupts.flatMap(({ interrupt, toolCall }) => messagesOf(interrupt as unknown as Interrupt, toolCall));
  const about = ({ id }: Interrupt) => {
    const one = item.interrupts.find((one) => one.id === id)!;
    return { notice: noticeOf(before(item, one)), graveHint: keysOn() && <GraveHint />, held: looking, until: isNear(one, Date.now()) ? one : NEVER };
  };
  const answer = (entries: ResumeEntry[], said: string[]) => {
    const decision = said.length > 1 ? inbox.answersFor(said.length, title) : said.join();
    const body = { entries };
    const small = outlives(body);
    give({
      items: [item],
      text: withStake(item, entries, decision),
      size: sizeOf(body),
      send: async () => {
        const path = `/threads/${encodeURIComponent(item.threadId)}/interrupts/resolve?namespace=${encodeURIComponent(item.namespace)}`;
        const { missing, admitted } = await call<{ missing: string[]; admitted?: { id: string } }>("POST", path, body, small);
        forgetHere(item.threadId, item.namespace);
        if (missing.length > 0) return { text: inbox.keptAsDraft(decision, missing.length, title), open: [item] };
        return { text: inbox.agentTold(decision), run: admitted?.id, openAgain: (why: string) => inbox.couldNotGoOn(decision, title, why) };
      },
    });
  };
  return (
    <section className="inbox-item" data-testid="inbox-item" data-thread-id={item.threadId} aria-label={title}>
      <Head {...props} />
      {refused && (
        <p className="fault" data-testid="inbox-refused">
          {refused}
        </p>
      )}
      {item.corrupted && (
        <p role="alert" data-testid="inbox-corrupted">
          {inbox.corrupted(wordsFor("state_corrupted").title, wordsFor("state_corrupted").advice)}
        </p>
      )}
      {answers ? (
        <Questions threadId={item.threadId} namespace={item.namespace} known={draftsOf(item)} open={open} messages={messages} about={about} asker={item} sending={false} answer={answer} />
      ) : (
        open.map((interrupt) => (
          <InterruptCard key={interrupt.id} threadId={item.threadId} interrupt={interrupt} messages={messages} {...about(interrupt)} answer={draftsOf(item)[interrupt.id]} asker={item} />
        ))
      )}
    </section>
  );
}

/** What a key does about what cannot be undone. */
function GraveHint() {
  return (
    <span className="hint keys">
      <kbd>{APPROVE_KEY}</kbd> {inbox.twiceHint}
    </span>
  );
}

const draftsOf = ({ interrupts }: InboxItem): Record<string, Answer> => Object.fromEntries(interrupts.flatMap(({ id, draft }) => (draft ? [[id, draft]] : [])));

/** The decision about a single call with what is at stake in it. */
function withStake({ interrupts }: InboxItem, [entry]: readonly ResumeEntry[], decision: string): string {
  const [one] = interrupts;
  if (!one || !entry || interrupts.length > 1 || entry.status === "cancelled") return decision;
  const { payload } = entry;
  const carried = isObject(payload) && payload.editedArgs !== undefined ? stringify(payload.editedArgs) : one.toolCall?.arguments;
  const stake = carried === undefined ? "" : stakeOf(aboutWhat(one.interrupt as unknown as Interrupt, calledBy(one.toolCall), parts), carried);
  return stake === "" ? decision : `${decision} (${stake})`;
}

const noticeOf = (approvedAt: string | undefined) => approvedAt && inbox.approvedBefore(clock(approvedAt, Date.now(), parts));

/** Which chat it is. Each question says who asks, since when, and until when it may be answered. */
function Head({ item, place, readOnly, reviews, children }: ItemProps & { children?: ReactNode }) {
  const title = visible(item.title || words.threads.untitled);
  const named = readOnly || !isSaid(title, asksWords(item, parts));
  return (
    <header>
      <span className="hint" data-testid="inbox-place">
        {place && inbox.placeOf(...place)}
        {place && named && " · "}
        {named && <bdi>{title}</bdi>}
      </span>
      {item.tenant && <span className="tag">{inbox.tenant(visible(item.tenant))}</span>}
      {children}
      {!readOnly && <Reviewers item={item} reviews={reviews} />}
      {!readOnly && (
        <a href={threadHref(item.threadId, item.namespace)} onClick={onLink}>
          {inbox.openChat}
        </a>
      )}
    </header>
  );
}
