// The open questions of a thread. They are answered together, which is when there is an answer to each. What was filled in
// outlives a refusal, and so the question is kept here and not where it is shown.

import { useAuiState } from "@assistant-ui/react";
import { answersOf } from "@aguiws/client";
import { useAgUiInterrupts, useAgUiSubmitInterruptResponses, type AgUiInterrupt, type AgUiResumeEntry } from "@assistant-ui/react-ag-ui";
import { useState } from "react";
import { Approval } from "./approval";
import { Form } from "./form";
import { Json } from "./json";
import { fieldsOf } from "./schema";

/** What has been filled in so far. */
export type Draft = Record<string, string>;

export interface AnswerProps {
  interrupt: AgUiInterrupt;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  resolve: (payload: unknown) => void;
}

type Kept<T> = Record<string, T>;

export function Questions() {
  const interrupts = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  const [drafts, setDrafts] = useState<Kept<Draft>>({});
  const [answers, setAnswers] = useState<Kept<AgUiResumeEntry>>({});
  const [refusal, setRefusal] = useState("");

  const answer = (entry: AgUiResumeEntry) => {
    const given = { ...answers, [entry.interruptId]: entry };
    const responses = interrupts.flatMap(({ id }) => given[id] ?? []);
    setRefusal("");
    setAnswers(given);
    if (responses.length < interrupts.length) return;
    submit(responses)
      .catch((error: Error) => setRefusal(error.message))
      .finally(() => setAnswers({}));
  };
  const change = (id: string) => setAnswers(({ [id]: _, ...others }) => others);

  return (
    <section className="questions" aria-label="Questions">
      {interrupts.map((interrupt) => (
        <article key={interrupt.id} className="question" data-id={interrupt.id}>
          <p>{interrupt.message ?? "May I go on?"}</p>
          {answers[interrupt.id] ? (
            <p className="answered">
              {answers[interrupt.id]?.status === "cancelled" ? "Cancelled" : "Answered"}, sent with the others.{" "}
              <button type="button" onClick={() => change(interrupt.id)}>Change</button>
            </p>
          ) : (
            <>
              <Answer
                interrupt={interrupt}
                draft={drafts[interrupt.id] ?? {}}
                onDraft={(draft) => setDrafts((kept) => ({ ...kept, [interrupt.id]: draft }))}
                resolve={(payload) => answer({ interruptId: interrupt.id, status: "resolved", payload })}
              />
              <button type="button" onClick={() => answer({ interruptId: interrupt.id, status: "cancelled" })}>Cancel</button>
            </>
          )}
        </article>
      ))}
      {refusal && <p role="alert">{refusal}</p>}
    </section>
  );
}

/** A call is approved. Answers that the agent lists are buttons, and beside them a schema is a form or JSON. The rest is a yes or a no. */
function Answer(props: AnswerProps) {
  const { reason, toolCallId, responseSchema, metadata } = props.interrupt;
  const args = useAuiState(({ thread }) => argsOf(thread.messages, toolCallId));
  if (reason === "tool_call" && (responseSchema || !metadata?.answers)) return <Approval {...props} args={args} />;
  // Without its list an agent takes {"approved": …}; with one it may take {"approved": false} for a yes.
  const choices = metadata?.answers || !responseSchema ? answersOf(props.interrupt).choices : [];
  const fields = fieldsOf(responseSchema);
  return (
    <>
      {choices.map(({ label, payload }) => <button key={label} type="button" onClick={() => props.resolve(payload)}>{label}</button>)}
      {fields ? <Form {...props} fields={fields} /> : responseSchema && <Json {...props} />}
    </>
  );
}

interface Parts {
  content: readonly { type: string; toolCallId?: string; argsText?: string }[];
}

const argsOf = (messages: readonly Parts[], toolCallId: string | undefined) =>
  messages.flatMap(({ content }) => content).find((part) => part.type === "tool-call" && part.toolCallId === toolCallId)?.argsText ?? "{}";
