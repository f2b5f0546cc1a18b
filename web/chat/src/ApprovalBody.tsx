import type { ToolCall } from "@ag-ui/client";
import { type ReactNode, useState } from "react";
import { pretty } from "./answers";
import { initialDraft, readDraft, readJson, type Draft, type Field } from "./fields";
import { Fields } from "./FormBody";
import { isObject } from "./schema";

interface Props {
  call?: ToolCall;
  editable: boolean;
  /** What the schema asks for beside the decision. */
  extras: Field[];
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown, label: string) => void;
}

/** Approve, decline, or approve with other arguments. */
export function ApprovalBody({ call, editable, extras, locked, abandon, resolve }: Props) {
  const proposed = pretty(call?.function.arguments || "{}");
  const [edited, setEdited] = useState<string>();
  const [draft, setDraft] = useState<Draft>(() => initialDraft(extras));
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const [fault, setFault] = useState<string>();

  const decide = (decision: Record<string, unknown>, label: string) => {
    const reading = readDraft(extras, draft);
    if ("faults" in reading) {
      setWrong(reading.faults);
      return;
    }
    setWrong({});
    resolve({ ...reading.value, ...decision }, label);
  };
  const approveEdited = () => {
    const read = readJson(edited ?? "");
    if ("fault" in read) {
      setFault(read.fault);
    } else if (!isObject(read.value)) {
      setFault("must be a JSON object");
    } else {
      setFault(undefined);
      decide({ approved: true, editedArgs: read.value }, "Approved with edits");
    }
  };

  return (
    <>
      {call && (
        <p>
          <code className="name">{call.function.name}</code>
        </p>
      )}
      {edited === undefined ? (
        call && <pre data-testid="proposed-args">{proposed}</pre>
      ) : (
        <label className="field">
          <span>Arguments</span>
          <textarea
            data-testid="args-editor"
            className="code"
            spellCheck={false}
            autoFocus
            rows={Math.min(16, edited.split("\n").length + 1)}
            value={edited}
            disabled={locked}
            aria-invalid={fault !== undefined}
            onChange={(event) => setEdited(event.target.value)}
          />
          {fault && (
            <span className="fault" role="alert">
              {fault}
            </span>
          )}
        </label>
      )}
      <Fields fields={extras} draft={draft} wrong={wrong} locked={locked} change={setDraft} />
      <div className="actions">
        {edited === undefined ? (
          <>
            <button type="button" className="primary" data-testid="approve" disabled={locked} onClick={() => decide({ approved: true }, "Approved")}>
              Approve
            </button>
            {editable && (
              <button type="button" data-testid="edit" disabled={locked} onClick={() => setEdited(proposed)}>
                Edit arguments
              </button>
            )}
            <button type="button" data-testid="decline" disabled={locked} onClick={() => decide({ approved: false }, "Declined")}>
              Decline
            </button>
          </>
        ) : (
          <>
            <button type="button" className="primary" data-testid="approve-edited" disabled={locked} onClick={approveEdited}>
              Approve with these
            </button>
            <button type="button" data-testid="discard-edits" onClick={() => (setEdited(undefined), setFault(undefined))}>
              Discard edits
            </button>
          </>
        )}
        {abandon}
      </div>
    </>
  );
}
