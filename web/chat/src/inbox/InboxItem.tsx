import type { Interrupt } from "@ag-ui/client";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError, call, outlives, sizeOf, type InboxItem, type Page } from "../server/api";
import { entryOf, type Answer } from "../../../react/forms/answers";
import { aboutWhat, calledBy, decisionOf } from "../../../react/forms/wording";
import { messagesOf } from "./bulk";
import { Facts } from "../../../react/decision/Facts";
import { ThreadDue } from "../../../react/lib/DueTag";
import { Guarded } from "../../../react/lib/Guarded";
import { InterruptCard } from "../decision/InterruptCard";
import { stringify } from "../../../react/lib/json";
import { visible } from "../../../react/lib/misleading";
import { isObject } from "../../../react/forms/schema";
import type { Given } from "./held";
import { isNear, nearOf } from "./late";
import { asksWords } from "../../../react/inbox/asks";
import { useApprovedBefore } from "./approvedbefore";
import { stakeOf } from "./apart";
import { askKeyOf } from "./asked";
import { Reviewers, type Reviews } from "./Reviewers";
import { isSaid } from "../lib/issaid";
import { clock } from "../../../react/lib/time";
import { onLink, threadHref } from "../lib/route";
import { isForbidden, wordsFor } from "../lib/words";
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
  say: (said: Said) => void;
  /** Gives the answer that is the last one missing: it is sent when it cannot be taken back any more. */
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
  const { item, answers, refused, say, give, changed } = props;
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<{ code: string; message: string; again: () => void }>();
  const base = `/threads/${encodeURIComponent(item.threadId)}/interrupts`;
  const of = `?namespace=${encodeURIComponent(item.namespace)}`;
  const title = visible(item.title || words.threads.untitled);
  const drafted = item.interrupts.filter((one) => one.draft).length;
  const { before, looking } = useApprovedBefore([item]);

  const attempt = async (what: () => Promise<Omit<Said, "key">>) => {
    setSending(true);
    setFault(undefined);
    try {
      say({ key: askKeyOf(item), ...(await what()) });
    } catch (error) {
      const again = () => void attempt(what);
      setFault(error instanceof ApiError ? { code: error.code, message: error.message, again } : { code: "client", message: String(error), again });
    }
    setSending(false);
    changed();
  };
  const takeBack = (id: string) =>
    void attempt(async () => {
      await call("DELETE", `${base}/${encodeURIComponent(id)}/draft${of}`);
      return { text: inbox.takenBack(title), goesOn: false };
    });
  const decide = (interrupt: Interrupt, answer: Answer) => {
    const { id } = interrupt;
    const decision = decisionOf(interrupt, messagesOf(interrupt, toolCallOf(item, id)), answer, parts);
    const asked = toolCallOf(item, id);
    const { payload } = answer.status === "resolved" ? answer : {};
    const carried = isObject(payload) && payload.editedArgs !== undefined ? stringify(payload.editedArgs) : asked?.arguments;
    const stake = answer.status === "cancelled" || carried === undefined ? "" : stakeOf(aboutWhat(interrupt, calledBy(asked), parts), carried);
    const body = { entries: [entryOf(id, answer)] };
    const small = outlives(body);
    const send = async () => {
      const { missing, admitted } = await call<{ missing: string[]; admitted?: { id: string } }>("POST", `${base}/resolve${of}`, body, small);
      if (missing.length > 0) return { text: inbox.keptAsDraft(decision, missing.length, title), goesOn: false };
      return { text: inbox.agentTold(decision), goesOn: true, run: admitted?.id, openAgain: (why: string) => inbox.couldNotGoOn(decision, title, why) };
    };
    // An answer that others wait for is a draft, which can be taken back in its place.
    if (!item.interrupts.every((one) => one.id === id || one.draft)) return void attempt(send);
    give({
      items: [item],
      text: stake === "" ? decision : `${decision} (${stake})`,
      size: sizeOf(body),
      send: async () => {
        const { goesOn, ...rest } = await send();
        return { ...rest, ...(!goesOn && { open: [item] }) };
      },
    });
  };

  return (
    <section className="inbox-item" data-testid="inbox-item" data-thread-id={item.threadId} aria-label={title}>
      <Head {...props}>
        {item.interrupts.length > 1 && (
          <span className="tag" data-testid="inbox-progress">
            {inbox.answeredOf(drafted, item.interrupts.length)}
          </span>
        )}
      </Head>
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
      {item.interrupts.map((one) => {
        const now = Date.now();
        const interrupt = one.interrupt as unknown as Interrupt;
        return (
          <InterruptCard
            key={one.id}
            threadId={item.threadId}
            interrupt={interrupt}
            messages={messagesOf(interrupt, one.toolCall)}
            notice={noticeOf(before(item, one))}
            held={looking}
            answer={one.draft}
            until={isNear(one, now) ? one : NEVER}
            asker={item}
            disabled={sending}
            decide={answers ? (answer) => (answer ? decide(interrupt, answer) : takeBack(one.id)) : undefined}
          />
        );
      })}
      {sending && (
        <p className="hint late-shown" role="status">
          {words.chat.sending}
        </p>
      )}
      {fault && (
        <div className="error" role="alert" data-testid="error" data-code={fault.code}>
          <div>
            <strong>{wordsFor(fault.code).title}</strong>
            {!isForbidden(fault.code) && <p className="said">{fault.message}</p>}
            <p>{wordsFor(fault.code).advice}</p>
          </div>
          {!isForbidden(fault.code) && (
            <Guarded subject={fault.code}>
              <button type="button" data-testid="retry" disabled={sending} onClick={fault.again}>
                {words.chat.sendAgain}
              </button>
            </Guarded>
          )}
        </div>
      )}
    </section>
  );
}

const noticeOf = (approvedAt: string | undefined) => approvedAt && inbox.approvedBefore(clock(approvedAt, Date.now(), parts));

function toolCallOf(item: InboxItem, id: string) {
  return item.interrupts.find((one) => one.id === id)?.toolCall;
}

/** Which chat it is. Each question says who asks, since when, and until when it may be answered. */
function Head({ item, place, readOnly, reviews, children }: ItemProps & { children: ReactNode }) {
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
