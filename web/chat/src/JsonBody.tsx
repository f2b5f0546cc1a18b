import { type ReactNode, useId, useState } from "react";
import { readJson } from "./answers";
import { part } from "./part";
import type { Schema } from "./schema";

interface Props {
  schema: Schema;
  /** What was answered before. */
  given?: unknown;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown) => void;
}

/** An answer written as JSON, for questions that no form here can put. */
export function JsonBody({ schema, given, locked, abandon, resolve }: Props) {
  const [typed, setTyped] = useState(() => (given === undefined ? "" : JSON.stringify(given, null, 2)));
  const [fault, setFault] = useState<string>();
  const id = useId();
  const send = async () => {
    const read = readJson(typed);
    if ("fault" in read) {
      setFault(read.fault);
      return;
    }
    const { judge } = await part(() => import("./judge"));
    const [first] = judge(schema, read.value);
    setFault(first && [first.path.join("."), first.message].filter(Boolean).join(" "));
    if (!first) resolve(read.value);
  };
  return (
    <>
      <details className="reasoning">
        <summary>What the answer has to look like</summary>
        <pre tabIndex={0}>{JSON.stringify(schema, null, 2)}</pre>
      </details>
      <div className="field">
        <label htmlFor={id}>Answer, as JSON</label>
        <textarea
          id={id}
          data-testid="json-answer"
          className="code"
          rows={4}
          spellCheck={false}
          value={typed}
          disabled={locked}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-fault`}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span id={`${id}-fault`}>
          {fault && (
            <span className="fault" role="alert">
              {fault}
            </span>
          )}
        </span>
      </div>
      <div className="actions">
        <button type="button" className="primary" data-testid="submit-json" disabled={locked} onClick={() => void send()}>
          Send
        </button>
        {abandon}
      </div>
    </>
  );
}
