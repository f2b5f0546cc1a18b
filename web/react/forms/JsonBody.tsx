import { type ReactNode, useState } from "react";
import { readJson } from "./readjson.js";
import { Folded } from "../lib/Folded.js";
import { stringify } from "../lib/json.js";
import { JsonText } from "../lib/JsonText.js";
import { escaped } from "../lib/misleading.js";
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

/** An answer written as JSON, for questions that no form here can put. */
export function JsonBody({ schema, given, locked, abandon, resolve }: Props) {
  const { answer: ways, form: words, fault: faults } = useStrings();
  const [typed, setTyped] = useTyped("json", () => (given === undefined ? "" : escaped(stringify(given, 2))), isText);
  const [fault, setFault] = useState<string>();
  const send = async () => {
    const read = readJson(typed, words);
    if ("fault" in read) {
      setFault(read.fault);
      return;
    }
    const { judge, told } = await part(() => import("./judge.js"));
    const [first] = judge(schema, read.value, faults);
    setFault(first && told(first.path.join(".") || faults.theAnswer, [first.message], faults));
    if (!first) resolve(read.value);
  };
  return (
    <>
      <details className="reasoning">
        <summary>{words.shape}</summary>
        <Folded text={stringify(schema, 2)} hook="answer-schema" label={words.schema} />
      </details>
      <JsonText label={ways.asJson} hook="json-answer" value={typed} fault={fault} rows={4} locked={locked} change={setTyped} />
      <div className="actions">
        <button type="button" className="primary" data-testid="submit-json" disabled={locked} onClick={() => void send()}>
          {words.send}
        </button>
        {abandon}
      </div>
    </>
  );
}
