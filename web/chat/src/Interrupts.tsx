import type { Interrupt, Message, ResumeEntry } from "@ag-ui/client";
import { useLayoutEffect, useRef } from "react";
import { decisionOf, entriesFor, type Answer } from "./answers";
import { useDrafts } from "./drafts";
import { Guarded, uncovered } from "./Guarded";
import { InterruptCard } from "./InterruptCard";
import { stringify } from "./json";
import { useKept } from "./kept";
import { KeptPlace } from "./KeptPlace";

interface Props {
  threadId: string;
  open: readonly Interrupt[];
  messages: readonly Message[];
  /** Answers are on their way. */
  sending: boolean;
  /** Sends the entries; `said` is what they say, in words. */
  answer: (entries: ResumeEntry[], said: string[]) => void;
}

/** All open questions. One is sent when it is answered; several are sent together, when all are. */
export function Interrupts({ threadId, open, messages, sending, answer }: Props) {
  const [drafts, { answers, kept: draftsKept, faults }] = useDrafts(threadId, open.map(({ id }) => id));
  const [kept, forget] = useKept(open, idOf, threadId);
  // What was sent from here, by interrupt id.
  const sent = useRef<Record<string, string>>({});
  const together = open.length > 1;
  // Where its button was there may be a card's now.
  useLayoutEffect(uncovered, [together]);
  if (kept.length === 0) return null;
  const answered = open.filter((interrupt) => answers[interrupt.id]).length;
  const entries = entriesFor(open, answers);

  const decide = (id: string, decision: Answer | undefined) => {
    // A single answer that is refused is corrected in its card, so it is not kept as given.
    const single = !together && decision && entriesFor(open, { [id]: decision });
    if (single) send(single, { [id]: decision });
    else drafts.decide(id, decision);
  };
  const send = (entries: ResumeEntry[], given: Readonly<Record<string, Answer>>) => {
    sent.current = Object.fromEntries(open.flatMap((one) => (given[one.id] ? [[one.id, decisionOf(one, messages, given[one.id]!)]] : [])));
    answer(entries, Object.values(sent.current));
  };

  return (
    <section className="questions" aria-label="Open questions">
      {kept.map(({ item: interrupt, gone }) => (
        <KeptPlace key={interrupt.id} gone={gone} others={open.length > 0} leave={() => forget(interrupt.id)}>
          {gone ? (
            <p>{sent.current[interrupt.id] ?? "Not open any more: it was answered or given up elsewhere."}</p>
          ) : (
            <InterruptCard
              interrupt={interrupt}
              messages={messages}
              answer={together ? answers[interrupt.id] : undefined}
              fault={faults[interrupt.id]?.message}
              disabled={sending}
              decide={(decision) => decide(interrupt.id, decision)}
            />
          )}
        </KeptPlace>
      ))}
      {together && (
        <Guarded subject={stringify([open.map(idOf), answers])} sticky className="together">
          <div>
            <span role="status" data-testid="answer-progress">
              {answered} of {open.length} answered
            </span>
            {draftsKept && <p className="hint">Kept as drafts for everybody who may answer.</p>}
          </div>
          <button
            type="button"
            className="primary"
            data-testid="submit-answers"
            disabled={!entries || sending}
            onClick={() => entries && send(entries, answers)}
          >
            {sending ? "Sending…" : "Send answers"}
          </button>
        </Guarded>
      )}
    </section>
  );
}

function idOf({ id }: Interrupt): string {
  return id;
}
