import type { Interrupt, Message, ResumeEntry } from "@ag-ui/client";
import { entriesFor, type Answer } from "./answers";
import { useDrafts } from "./drafts";
import { InterruptCard } from "./InterruptCard";

interface Props {
  threadId: string;
  open: readonly Interrupt[];
  messages: readonly Message[];
  /** Answers are on their way. */
  sending: boolean;
  answer: (entries: ResumeEntry[]) => void;
}

/** All open questions. One is sent when it is answered; several are sent together, when all are. */
export function Interrupts({ threadId, open, messages, sending, answer }: Props) {
  const [drafts, { answers, kept, faults }] = useDrafts(threadId, open.map(({ id }) => id));
  if (open.length === 0) return null;
  const together = open.length > 1;
  const answered = open.filter((interrupt) => answers[interrupt.id]).length;
  const entries = entriesFor(open, answers);

  const decide = (id: string, decision: Answer | undefined) => {
    // A single answer that is refused is corrected in its card, so it is not kept as given.
    const single = !together && decision && entriesFor(open, { [id]: decision });
    if (single) answer(single);
    else drafts.decide(id, decision);
  };

  return (
    <section className="questions" aria-label="Open questions">
      {open.map((interrupt) => (
        <InterruptCard
          key={interrupt.id}
          interrupt={interrupt}
          messages={messages}
          answer={together ? answers[interrupt.id] : undefined}
          fault={faults[interrupt.id]?.message}
          disabled={sending}
          decide={(decision) => decide(interrupt.id, decision)}
        />
      ))}
      {together && (
        <div className="together">
          <div>
            <span role="status" data-testid="answer-progress">
              {answered} of {open.length} answered
            </span>
            {kept && <p className="hint">Kept as drafts for everybody who may answer.</p>}
          </div>
          <button
            type="button"
            className="primary"
            data-testid="submit-answers"
            disabled={!entries || sending}
            onClick={() => entries && answer(entries)}
          >
            {sending ? "Sending…" : "Send answers"}
          </button>
        </div>
      )}
    </section>
  );
}
