import { type ReactNode, useState } from "react";
import { described, readJson } from "./fields";
import { faults, type Schema } from "./schema";

interface Props {
  schema: Schema;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown, label: string) => void;
}

/** An answer written as JSON, for questions that no form here can put. */
export function JsonBody({ schema, locked, abandon, resolve }: Props) {
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string>();
  const send = () => {
    const read = readJson(typed);
    if ("fault" in read) {
      setFault(read.fault);
      return;
    }
    const [first] = faults(schema, read.value);
    setFault(first && described(first));
    if (!first) resolve(read.value, "Answered");
  };
  return (
    <>
      <details className="reasoning">
        <summary>What the answer has to look like</summary>
        <pre>{JSON.stringify(schema, null, 2)}</pre>
      </details>
      <label className="field">
        <span>Answer, as JSON</span>
        <textarea
          data-testid="json-answer"
          className="code"
          rows={4}
          spellCheck={false}
          value={typed}
          disabled={locked}
          aria-invalid={fault !== undefined}
          onChange={(event) => setTyped(event.target.value)}
        />
        {fault && (
          <span className="fault" role="alert">
            {fault}
          </span>
        )}
      </label>
      <div className="actions">
        <button type="button" className="primary" data-testid="submit-json" disabled={locked} onClick={send}>
          Send
        </button>
        {abandon}
      </div>
    </>
  );
}
