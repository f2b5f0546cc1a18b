import type { ToolCall } from "@ag-ui/client";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { pretty, readArguments } from "./answers";
import { Fields } from "./FormBody";
import { JsonText } from "./JsonText";
import { OrElse } from "./OrElse";
import { isObject, requiredOf, type Schema } from "./schema";
import type { SchemaFormHandle } from "./SchemaForm";

interface Props {
  call?: ToolCall;
  editable: boolean;
  /** What the schema asks for beside the decision. */
  extras?: Schema;
  /** What was answered before. */
  given?: unknown;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown) => void;
}

/** Approve, decline, or approve with other arguments. */
export function ApprovalBody({ call, editable, extras, given, locked, abandon, resolve }: Props) {
  const proposed = pretty(call?.function.arguments || "{}");
  const { approved: _, editedArgs, ...beside } = isObject(given) ? given : {};
  const [edited, setEdited] = useState(() => (editedArgs === undefined ? undefined : JSON.stringify(editedArgs, null, 2)));
  const [fault, setFault] = useState<string>();
  const form = useRef<SchemaFormHandle>(null);
  const edit = useRef<HTMLButtonElement>(null);

  const decide = (decision: Record<string, unknown>) => {
    // What nobody was asked yet and nobody has to say does not stand in the way.
    const read = form.current ? form.current.read() : requiredOf(extras ?? {}).length === 0 ? { value: {} } : undefined;
    if (read) resolve({ ...(isObject(read.value) ? read.value : {}), ...decision });
  };
  const approveEdited = () => {
    const read = readArguments(edited ?? "");
    if ("fault" in read) {
      setFault(read.fault);
      return;
    }
    setFault(undefined);
    decide({ approved: true, editedArgs: read.value });
  };
  const discard = () => {
    setEdited(undefined);
    setFault(undefined);
    requestAnimationFrame(() => edit.current?.focus());
  };
  const keyed = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      discard();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      approveEdited();
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
        call && (
          <pre data-testid="proposed-args" tabIndex={0} aria-label="Proposed arguments">
            {proposed}
          </pre>
        )
      ) : (
        <JsonText
          label="Arguments"
          hook="args-editor"
          value={edited}
          fault={fault}
          rows={Math.min(16, edited.split("\n").length + 1)}
          locked={locked}
          autoFocus
          change={setEdited}
          keyed={keyed}
        >
          <span className="hint">Ctrl+Enter approves, Escape discards.</span>
        </JsonText>
      )}
      {extras && (
        <OrElse instead={<p className="fault">The rest of the question could not be loaded. Reload the page to answer it.</p>}>
          <Fields schema={extras} given={beside} locked={locked} handle={form} />
        </OrElse>
      )}
      <div className="actions">
        {edited === undefined ? (
          <>
            <button type="button" className="primary" data-testid="approve" disabled={locked} onClick={() => decide({ approved: true })}>
              Approve
            </button>
            {editable && (
              <button type="button" ref={edit} data-edits data-testid="edit" disabled={locked} onClick={() => setEdited(proposed)}>
                Edit arguments
              </button>
            )}
            <button
              type="button"
              data-testid="decline"
              title="Answers no: the agent goes on and knows it"
              disabled={locked}
              onClick={() => decide({ approved: false })}
            >
              Decline
            </button>
          </>
        ) : (
          <>
            <button type="button" className="primary" data-testid="approve-edited" disabled={locked} onClick={approveEdited}>
              Approve with these
            </button>
            <button type="button" data-edits data-testid="discard-edits" onClick={discard}>
              Discard edits
            </button>
          </>
        )}
        {abandon}
      </div>
    </>
  );
}
