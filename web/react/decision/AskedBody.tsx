import type { ReactNode } from "react";
import type { Asked } from "../forms/question.js";
import { FormBody } from "../forms/FormBody.js";
import { JsonBody } from "../forms/JsonBody.js";
import { TextBody } from "../forms/TextBody.js";

interface Props {
  asked: Asked;
  /** What was answered before. */
  given?: unknown;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown) => void;
}

const BODIES = { form: FormBody, text: TextBody, json: JsonBody };

/** What a schema asks for, to be filled in. */
export function AskedBody({ asked: { kind, schema }, ...more }: Props) {
  const Body = BODIES[kind];
  return <Body schema={schema} {...more} />;
}
