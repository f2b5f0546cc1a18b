import { type ReactNode, useMemo } from "react";
import { AskedBody } from "./AskedBody.js";
import { askedBy } from "../forms/question.js";
import type { Schema } from "../forms/schema.js";
import { Keeping, type Keep } from "../forms/typed.js";
import { Guarded } from "../lib/Guarded.js";
import { rounded, stringify } from "../lib/json.js";

export interface DecisionFormProps {
  /** What the answer is like: any JSON Schema. One that no form can ask for is asked for as JSON. */
  schema: Readonly<Record<string, unknown>>;
  /** Takes an answer that the schema allows. */
  onAnswer: (payload: unknown) => void;
  /** What its fields begin with. */
  given?: unknown;
  disabled?: boolean | undefined;
  /** Keeps what is typed; without it, that is gone with the component. It is called once for a form. */
  keep?: (() => Keep) | undefined;
  /** Numbers that no double says go to `onAnswer` as values that `stringify` of this package writes. Without it they are rounded. */
  exact?: boolean | undefined;
  /** What stands beside the button that sends. */
  children?: ReactNode;
}

/** A form of a schema. Another schema is another form: give it a key. */
export function DecisionForm({ schema, onAnswer, given, disabled = false, keep, exact, children }: DecisionFormProps) {
  const asked = useMemo(() => askedBy(schema as Schema), [schema]);
  const subject = useMemo(() => stringify(schema), [schema]);
  return (
    <Guarded subject={subject} className="aguiws">
      <Keeping keep={keep} anew={given !== undefined}>
        <AskedBody asked={asked} given={given} locked={disabled} abandon={children} resolve={(payload) => onAnswer(exact ? payload : rounded(payload))} />
      </Keeping>
    </Guarded>
  );
}
