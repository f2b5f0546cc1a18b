import type { Interrupt, Message, ResumeEntry } from "@ag-ui/client";
import { useState } from "react";
import { entriesFor, type Answer } from "./answers";
import { InterruptCard } from "./InterruptCard";

interface Props {
  open: readonly Interrupt[];
  messages: readonly Message[];
  /** Answers are on their way. */
  sending: boolean;
  answer: (entries: ResumeEntry[]) => void;
}

/** All open questions. One is sent when it is answered; several are sent together, when all are. */
export function Interrupts({ open, messages, sending, answer }: Props) {
  const [answers, setAnswers] = useState<Record<string, Answer>>({});
  if (open.length === 0) return null;
  const together = open.length > 1;
  const answered = open.filter((interrupt) => answers[interrupt.id]).length;
  const entries = entriesFor(open, answers);

  const decide = (id: string, decision: Answer | undefined) => {
    const next = { ...answers };
    if (decision) next[id] = decision;
    else delete next[id];
    // A single answer that is refused is corrected in its card, so it is not kept as given.
    if (!together && decision) {
      const single = entriesFor(open, next);
      if (single) answer(single);
      return;
    }
    setAnswers(next);
  };

  return (
    <section className="questions" aria-label="Open questions">
      {open.map((interrupt) => (
        <InterruptCard
          key={interrupt.id}
          interrupt={interrupt}
          messages={messages}
          answer={answers[interrupt.id]}
          disabled={sending}
          decide={(decision) => decide(interrupt.id, decision)}
        />
      ))}
      {together && (
        <div className="together">
          <span role="status" data-testid="answer-progress">
            {answered} of {open.length} answered
          </span>
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
