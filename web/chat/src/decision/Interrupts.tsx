import type { Interrupt, Message, ResumeEntry } from "@ag-ui/client";
import { useEffect, useLayoutEffect, useRef } from "react";
import { decisionOf, entriesFor, type Answer } from "../forms/answers";
import { useDrafts } from "./drafts";
import { Guarded, uncovered } from "../lib/Guarded";
import { InterruptCard } from "./InterruptCard";
import { stringify } from "../lib/json";
import { useKept } from "../lib/kept";
import { KeptPlace } from "../lib/KeptPlace";
import { Review } from "./Review";
import { Steps } from "./Steps";
import { useSteps } from "./stepping";

interface Props {
  threadId: string;
  open: readonly Interrupt[];
  messages: readonly Message[];
  /** Answers are on their way. */
  sending: boolean;
  /** Sends the entries; `said` is what they say, in words. */
  answer: (entries: ResumeEntry[], said: string[]) => void;
}

/** All open questions. One is sent when it is answered; several are shown one at a time, looked over, and sent together. */
export function Interrupts({ threadId, open, messages, sending, answer }: Props) {
  const [drafts, { answers, kept: draftsKept, faults }] = useDrafts(threadId, open.map(({ id }) => id));
  const [kept, forget] = useKept(open, idOf, threadId);
  // What was sent from here, by interrupt id.
  const sent = useRef<Record<string, string>>({});
  const together = open.length > 1;
  // Where its button was there may be a card's now.
  useLayoutEffect(uncovered, [together]);
  const steps = useSteps(open.map(idOf), answers);
  const box = useRef<HTMLElement>(null);
  // Whoever goes to another question is read that one, and goes on there.
  useEffect(() => {
    if (steps.moves > 0) box.current?.querySelector<HTMLElement>(".shown")?.focus();
  }, [steps.moves]);
  if (kept.length === 0) return null;
  const answered = open.filter((interrupt) => answers[interrupt.id]).length;
  const entries = entriesFor(open, answers);

  const decide = (id: string, decision: Answer | undefined) => {
    // A single answer that is refused is corrected in its card, so it is not kept as given.
    const single = !together && decision && entriesFor(open, { [id]: decision });
    if (single) send(single, { [id]: decision });
    else {
      drafts.decide(id, decision);
      if (decision) steps.answered(id);
    }
  };
  const send = (entries: ResumeEntry[], given: Readonly<Record<string, Answer>>) => {
    sent.current = Object.fromEntries(open.flatMap((one) => (given[one.id] ? [[one.id, decisionOf(one, messages, given[one.id]!)]] : [])));
    answer(entries, Object.values(sent.current));
  };

  const looksOver = together && steps.at === undefined;
  return (
    <section ref={box} className="questions" aria-label="Open questions" onPointerDownCapture={steps.stay} onFocusCapture={steps.stay}>
      {together && (
        <Steps step={steps.at === undefined ? undefined : steps.at + 1} of={open.length} answered={answered} kept={draftsKept} back={steps.back} next={steps.next} />
      )}
      {kept.map(({ item: interrupt, gone }) => {
        const shown = !together || (!gone && open[steps.at ?? -1]?.id === interrupt.id);
        return (
          <KeptPlace key={interrupt.id} gone={gone} hidden={!shown} others={open.length > 0} leave={() => forget(interrupt.id)}>
            {gone ? (
              <p>{sent.current[interrupt.id] ?? "Not open any more: it was answered or given up elsewhere."}</p>
            ) : (
              <div className={shown ? "shown" : undefined} tabIndex={together ? -1 : undefined}>
                <InterruptCard
                  threadId={threadId}
                  interrupt={interrupt}
                  messages={messages}
                  answer={together ? answers[interrupt.id] : undefined}
                  fault={faults[interrupt.id]?.message}
                  disabled={sending}
                  decide={(decision) => decide(interrupt.id, decision)}
                />
              </div>
            )}
          </KeptPlace>
        );
      })}
      {looksOver && (
        <Guarded subject={stringify([open.map(idOf), answers])} className="question">
          <div className="shown" tabIndex={-1}>
            <h2>Look it over, then send</h2>
          </div>
          <Review open={open} messages={messages} answers={answers} faults={faults} look={steps.look} />
          {draftsKept && <p className="hint">Kept as drafts for everybody who may answer.</p>}
          <div className="actions">
            <button
              type="button"
              className="primary"
              data-testid="submit-answers"
              disabled={!entries || sending}
              onClick={() => entries && send(entries, answers)}
            >
              {sending ? "Sending…" : `Send ${open.length} answers`}
            </button>
            {!entries && <span className="hint">All questions are answered together.</span>}
          </div>
        </Guarded>
      )}
    </section>
  );
}

function idOf({ id }: Interrupt): string {
  return id;
}
