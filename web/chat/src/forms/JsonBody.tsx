import { type ReactNode, useState } from "react";
import { readJson } from "./answers";
import { Folded } from "../lib/Folded";
import { stringify } from "../lib/json";
import { JsonText } from "../lib/JsonText";
import { escaped } from "../lib/misleading";
import { part } from "../lib/part";
import type { Schema } from "./schema";
import { isText, useTyped } from "./typed";

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
  const [typed, setTyped] = useTyped("json", () => (given === undefined ? "" : escaped(stringify(given, 2))), isText);
  const [fault, setFault] = useState<string>();
  const send = async () => {
    const read = readJson(typed);
    if ("fault" in read) {
      setFault(read.fault);
      return;
    }
    const { judge, told } = await part(() => import("./judge"));
    const [first] = judge(schema, read.value);
    setFault(first && told(first.path.join(".") || "The answer", [first.message]));
    if (!first) resolve(read.value);
  };
  return (
    <>
      <details className="reasoning">
        <summary>Shape of the answer</summary>
        <Folded text={stringify(schema, 2)} hook="answer-schema" label="Schema of the answer" />
      </details>
      <JsonText label="Answer, as JSON" hook="json-answer" value={typed} fault={fault} rows={4} locked={locked} change={setTyped} />
      <div className="actions">
        <button type="button" className="primary" data-testid="submit-json" disabled={locked} onClick={() => void send()}>
          Send
        </button>
        {abandon}
      </div>
    </>
  );
}
