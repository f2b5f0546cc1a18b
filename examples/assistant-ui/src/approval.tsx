// Whether a tool call may be carried out: as proposed, with other arguments, or not at all.

import { Json } from "./json";
import type { AnswerProps } from "./questions";

export function Approval({ args, ...props }: AnswerProps & { args: string }) {
  const { interrupt, draft, onDraft, resolve } = props;
  const editable = interrupt.responseSchema === undefined || "editedArgs" in ((interrupt.responseSchema.properties as object | undefined) ?? {});
  const editing = draft.json !== undefined;
  const { json: _, ...others } = draft;
  return (
    <>
      {editing ? (
        <Json {...props} send="Approve as edited" resolve={(editedArgs) => resolve({ approved: true, editedArgs })} />
      ) : (
        <>
          <pre>{args}</pre>
          <button type="button" onClick={() => resolve({ approved: true })}>Approve</button>
        </>
      )}
      {editable && (
        <button type="button" onClick={() => onDraft(editing ? others : { ...draft, json: args })}>{editing ? "As proposed" : "Edit"}</button>
      )}
      <button type="button" onClick={() => resolve({ approved: false })}>Decline</button>
    </>
  );
}
