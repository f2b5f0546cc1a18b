import type { Interrupt, Message, ResumeEntry } from "@ag-ui/client";
import { useMemo, useState } from "react";
import type { Thread } from "./useThread.js";
import { entriesFor, type Answer } from "../forms/answers.js";

/** What `<Decision>` takes for an open question. */
export interface OpenQuestion {
  interrupt: Interrupt;
  messages: readonly Message[];
  answer?: Answer;
  fault?: string;
  disabled: boolean;
  onAnswer: (entry: ResumeEntry) => void;
  onChange: () => void;
}

export interface Interrupts {
  /** The open questions, each with the props of its `<Decision>`. */
  questions: readonly OpenQuestion[];
  /** Answers are on their way. */
  sending: boolean;
}

const NONE: Readonly<Record<string, Answer>> = {};

/**
 * The open questions of a thread. A server takes the answers to all of them together, so they are sent with the last one.
 * What it refuses is open again, with the reason at the question that was answered last.
 */
export function useInterrupts({ messages, status: { interrupts }, fault, answer: send }: Thread): Interrupts {
  const [answers, setAnswers] = useState(NONE);
  const [sending, setSending] = useState(false);
  const [last, setLast] = useState<string>();
  const questions = useMemo(() => {
    const decide = (id: string, answer: Answer | undefined) => {
      const { [id]: _, ...others } = answers;
      const now = answer ? { ...others, [id]: answer } : others;
      setAnswers(now);
      setLast(id);
      const entries = entriesFor(interrupts, now);
      if (!entries) return;
      setSending(true);
      void send(entries).then((taken) => {
        setSending(false);
        setAnswers(NONE);
        if (taken) setLast(undefined);
      });
    };
    return interrupts.map((interrupt): OpenQuestion => {
      const { id } = interrupt;
      const together = interrupts.length > 1;
      const answer = together && Object.hasOwn(answers, id) ? answers[id] : undefined;
      return {
        interrupt,
        messages,
        disabled: sending,
        ...(answer && { answer }),
        ...(fault && last === id && { fault: fault.message }),
        onAnswer: ({ status, payload }) => decide(id, { status, ...(payload !== undefined && { payload: payload as unknown }) }),
        onChange: () => decide(id, undefined),
      };
    });
  }, [interrupts, messages, answers, sending, last, fault, send]);
  return { questions, sending };
}
