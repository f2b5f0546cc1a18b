// What kind of question an interrupt is, by its schema and its reason.

import type { Interrupt } from "@ag-ui/client";
import { answersOf, type AnswerChoice } from "@aguiws/client";
import { isChoice } from "./choices.js";
import { ENGLISH, type Strings } from "../lib/strings.js";
import { isObject, presentable, propertiesOf, requiredOf, type Schema } from "./schema.js";

/** The interrupts by which an agent waits for a time, and for what another system tells it: nobody is asked. */
export const TIMER = "aguiws:timer";
export const EVENT = "aguiws:event";

/** The interrupt by which an agent waits for another one, which it has called: nobody is asked. */
export const CALL = "aguiws:call";

/** Whether an interrupt of this reason waits for something else than an answer. */
export const waits = (reason: string) => reason === TIMER || reason === EVENT || reason === CALL;

/** The chat of the agent that was called; undefined: none was. */
export function calledIn({ reason, metadata }: Interrupt): string | undefined {
  const own: unknown = reason === CALL && isObject(metadata) ? metadata.aguiws : undefined;
  return isObject(own) && typeof own.threadId === "string" ? own.threadId : undefined;
}

/** Whether its agent says that what a yes leads to cannot be undone. One that says nothing of that may be as grave. */
export const isDestructive = ({ metadata }: { metadata?: unknown }): boolean => isObject(metadata) && metadata.destructive === true;

/** How a question is put that has more to it than a choice. `json` is for schemas that no form here can say. */
export type Asked = { kind: "form" | "text" | "json"; schema: Schema };

/** How a question is put. */
export type Question =
  | { kind: "approval"; editable: boolean; extras?: Schema; /** What the arguments are like. */ args?: Schema }
  | { kind: "choice"; choices: readonly AnswerChoice[]; otherwise: "any" | "object" | "nothing" | Asked }
  | Asked;

const COMPOSED = ["$ref", "oneOf", "anyOf", "allOf", "not", "if"];

/** Reads off the schema and the reason how to ask. Unknown reasons are asked by their schema. */
export function questionOf(interrupt: Interrupt, { reasonTold }: Pick<Strings["answer"], "reasonTold"> = ENGLISH.answer): Question {
  if (waits(interrupt.reason)) return { kind: "choice", choices: [], otherwise: "nothing" };
  const given = interrupt.responseSchema as Schema | undefined;
  const { choices, otherwise } = answersOf(interrupt);
  if (!given && otherwise === "schema") return { kind: "approval", editable: true }; // a call, of which nothing is listed
  const schema = given && presentable(given);
  const approval = schema && approvalOf(schema, reasonTold);
  if (approval) return approval;
  if (choices.length === 0 && given) return askedBy(given, schema);
  return { kind: "choice", choices, otherwise: otherwise !== "schema" ? otherwise : given ? askedBy(given, schema) : "nothing" };
}

function approvalOf(schema: Schema, told: string): Question | undefined {
  const either = yesOrNo(schema);
  if (either) return either;
  const properties = propertiesOf(schema);
  if (properties.approved?.type !== "boolean" || COMPOSED.some((keyword) => keyword in schema)) return undefined;
  const extras = explained(without(schema, ["approved", "editedArgs"]), told);
  const { editedArgs: args } = properties;
  const approval = { kind: "approval", editable: args !== undefined, ...(args?.properties !== undefined && { args }) } as const;
  if (drawable(extras)) return { ...approval, extras };
  return requiredOf(extras).length === 0 ? approval : undefined;
}

/** How a value of a schema is asked for. `schema`: what of it can be presented. */
export function askedBy(given: Schema, schema = presentable(given)): Asked {
  if (!schema) return { kind: "json", schema: given };
  if (isChoice(schema)) return { kind: "form", schema };
  if (schema.type === "string") return { kind: "text", schema };
  return drawable(schema) ? { kind: "form", schema } : { kind: "json", schema: given };
}

/** A choice between a yes and a no, each a schema of its own: as TanStack AI asks for approval. */
function yesOrNo(schema: Schema): Question | undefined {
  const choices: unknown = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(choices) || choices.length !== 2 || !choices.every(isObject)) return undefined;
  const saying = (word: boolean) => (choices as Schema[]).find((one) => isObject(propertiesOf(one).approved) && propertiesOf(one).approved!.const === word);
  const [yes, no] = [saying(true), saying(false)];
  if (!yes || !no || [yes, no].some((one) => requiredOf(one).some((name) => name !== "approved"))) return undefined;
  return { kind: "approval", editable: "editedArgs" in propertiesOf(yes) };
}

/** Whether a form of it has a field for whatever has to be said. */
function drawable(schema: Schema): boolean {
  if (["oneOf", "anyOf", "$ref"].some((keyword) => keyword in schema)) return true;
  if (schema.type !== undefined && schema.type !== "object") return false;
  const properties = propertiesOf(schema);
  return Object.keys(properties).length > 0 && requiredOf(schema).every((name) => Object.hasOwn(properties, name));
}

/**
 * A server of this kind asks for a reason with the one word "Why", which cannot change: what is asked again has to be what
 * was asked before. What becomes of a reason is said here.
 */
function explained(schema: Schema, told: string): Schema {
  const { reason, ...others } = propertiesOf(schema);
  if (reason?.description !== "Why") return schema;
  return { ...schema, properties: { ...others, reason: { ...reason, description: told } } };
}

function without(schema: Schema, names: string[]): Schema {
  const properties = Object.entries(propertiesOf(schema)).filter(([name]) => !names.includes(name));
  return { ...schema, properties: Object.fromEntries(properties), required: requiredOf(schema).filter((name) => !names.includes(name)) };
}

/** How long a reason may be; undefined where more than a reason of any kind is asked for, or one has to be given. */
export function reasonOnly(extras: Schema | undefined): { most?: number } | undefined {
  const properties = extras && propertiesOf(extras);
  if (!properties || Object.keys(properties).join() !== "reason" || requiredOf(extras).length > 0) return undefined;
  const { type, maxLength, title: _, description: __, ...others } = properties.reason!;
  if (type !== "string" || Object.keys(others).length > 0) return undefined;
  return typeof maxLength === "number" ? { most: maxLength } : {};
}

