import { type ReactNode, useCallback, useState } from "react";
import { rowWords } from "./asks.js";
import { LedTo } from "./LedTo.js";
import { useInbox, useQuestions, type InboxFilter } from "./useInbox.js";
import type { Control } from "../control/control.js";
import { Told } from "../control/Told.js";
import type { InboxItem } from "../control/types.js";
import { Decision } from "../decision/Decision.js";
import { isDestructive } from "../forms/question.js";
import { Ago } from "../lib/Ago.js";
import { ThreadDue } from "../lib/DueTag.js";
import { Grave } from "../lib/Grave.js";
import { Marked } from "../lib/Marked.js";
import { useStrings } from "../lib/words.js";

export interface InboxProps {
  control: Control;
  filter?: InboxFilter | undefined;
  /** A link to the chat of a question. */
  linkTo?: ((threadId: string, namespace: string) => ReactNode) | undefined;
}

/** What waits for an answer, and the questions of the thread that is picked. */
export function Inbox({ control, filter, linkTo }: InboxProps) {
  const { list: words } = useStrings();
  const { items, more, error, refresh } = useInbox(control, filter);
  const [picked, pick] = useState<InboxItem>();
  const key = picked && keyOf(picked);
  return (
    <section className="aguiws inbox" aria-label={words.inbox} data-testid="inbox">
      <Told items={items} error={error} nothing={words.nothing} />
      <ul className="rows">
        {items?.map((item) => (
          <Row key={keyOf(item)} item={item} picked={keyOf(item) === key} pick={() => pick(item)} />
        ))}
      </ul>
      {more && <p className="hint">{words.moreWait}</p>}
      {picked && <Questions key={key} control={control} item={picked} link={linkTo?.(picked.threadId, picked.namespace)} answered={refresh} leave={() => pick(undefined)} />}
    </section>
  );
}

function keyOf({ namespace, threadId }: InboxItem): string {
  return JSON.stringify([namespace, threadId]);
}

function Row({ item, picked, pick }: { item: InboxItem; picked: boolean; pick: () => void }) {
  const strings = useStrings();
  const { list: words } = strings;
  const asks = rowWords(item, strings);
  const count = item.interrupts.length + (item.omitted ?? 0);
  const drafted = item.interrupts.filter(({ draft }) => draft).length;
  return (
    <li>
      <button type="button" className="row" aria-current={picked} data-testid="inbox-pick" data-thread-id={item.threadId} onClick={pick}>
        <span className="title" dir="auto">
          <Marked text={asks} />
        </span>
        {item.interrupts.some(({ interrupt }) => isDestructive(interrupt)) && <Grave />}
        {count > 1 && <span className="tag">{words.answered(drafted, count)}</span>}
        <ThreadDue asked={item.interrupts} />
        <span className="hint">
          {item.user !== undefined && (
            <bdi>
              <Marked text={item.user} />{" "}
            </bdi>
          )}
          <Ago at={item.since} />
        </span>
      </button>
    </li>
  );
}

interface QuestionsProps {
  control: Control;
  item: InboxItem;
  link: ReactNode;
  answered: () => void;
  leave: () => void;
}

/** What one thread asks, in full. */
function Questions({ control, item, link, answered, leave }: QuestionsProps) {
  const { list: words } = useStrings();
  const { questions, corrupted, sending, error, answer, takeBack } = useQuestions(control, item, answered);
  const [last, setLast] = useState<string>();
  const first = questions?.[0]?.interrupt.id;
  const refusal = useCallback((id: string) => (id === last ? error?.message : undefined), [last, error]);
  return (
    <div className="picked" data-testid="inbox-item" data-thread-id={item.threadId}>
      <div className="actions">
        <button type="button" className="quiet" data-testid="inbox-back" onClick={leave}>
          {words.back}
        </button>
        {link}
      </div>
      {error && (last === undefined || questions?.every(({ interrupt }) => interrupt.id !== last)) && (
        <p className="fault" role="alert">
          {error.message}
        </p>
      )}
      {corrupted && <p role="alert">{words.corrupted}</p>}
      {questions?.length === 0 && !corrupted && <p className="hint">{words.gone}</p>}
      {questions?.map(({ interrupt, toolCall, draft, expiresAt, stale }) => (
        <Decision
          key={interrupt.id}
          interrupt={interrupt}
          toolCall={toolCall}
          answer={draft}
          fault={refusal(interrupt.id)}
          until={{ ...(expiresAt !== undefined && { expiresAt }), ...(stale && { stale }) }}
          asker={item}
          control={control}
          disabled={sending}
          exact
          onAnswer={({ interruptId, status, payload }) => {
            setLast(interruptId);
            void answer({ interruptId, status, ...(payload !== undefined && { payload: payload as unknown }) });
          }}
          onChange={() => {
            setLast(interrupt.id);
            void takeBack(interrupt.id);
          }}
        />
      ))}
      {first !== undefined && <LedTo control={control} item={item} interrupt={first} />}
    </div>
  );
}
