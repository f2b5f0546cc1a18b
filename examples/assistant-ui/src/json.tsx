// An answer that no form is drawn for.

import type { AnswerProps } from "./questions";

export function Json({ draft, onDraft, resolve, send = "Send" }: AnswerProps & { send?: string }) {
  const text = draft.json ?? "";
  const read = parsed(text);
  return (
    <>
      <textarea aria-label="JSON" rows={4} value={text} onChange={(event) => onDraft({ ...draft, json: event.target.value })} />
      {read.problem && text && <p role="alert">{read.problem}</p>}
      <button type="button" disabled={read.problem !== undefined} onClick={() => resolve(read.value)}>{send}</button>
    </>
  );
}

function parsed(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
