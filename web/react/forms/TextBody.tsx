import { type ReactNode, useId, useState } from "react";
import { Misleading } from "../lib/Marked.js";
import { part } from "../lib/part.js";
import { useStrings } from "../lib/words.js";
import type { Schema } from "./schema.js";
import { isText, useTyped } from "./typed.js";

interface Props {
  schema: Schema;
  /** What was answered before. */
  given?: unknown;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown) => void;
}

/** An answer that is a text. */
export function TextBody({ schema, given, locked, abandon, resolve }: Props) {
  const { form: words, fault: faulty } = useStrings();
  const [typed, setTyped] = useTyped("text", typeof given === "string" ? given : "", isText);
  const [fault, setFault] = useState<string>();
  const id = useId();
  const send = async () => {
    const { judge, told } = await part(() => import("./judge.js"));
    const faults = judge(schema, typed, faulty);
    setFault(faults.length > 0 ? told(faulty.theAnswer, faults.map(({ message }) => message), faulty) : undefined);
    if (faults.length === 0) resolve(typed);
  };
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{words.answer}</label>
        <textarea
          id={id}
          data-testid="answer-text"
          rows={3}
          dir="auto"
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
        <Misleading text={typed} />
      </div>
      <div className="actions">
        <button type="button" className="primary" data-testid="submit-answer" disabled={locked} onClick={() => void send()}>
          {words.send}
        </button>
        {abandon}
      </div>
    </>
  );
}
