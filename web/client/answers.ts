// How an interrupt is answered. Most agents ask without a schema: all that ask people about it say the same yes to it.

import type { Interrupt } from "@ag-ui/client";

/** An answer that needs no more words: a button. Its entry is `{interruptId, status: "resolved", payload}`, without a payload where there is none here. */
export interface AnswerChoice {
  label: string;
  payload?: unknown;
  /** It is the one yes or the one no; left out where it is neither. */
  means?: "yes" | "no";
}

/** The ways to answer an interrupt. Any interrupt may be cancelled as well, which is no answer. */
export interface Answers {
  choices: AnswerChoice[];
  /**
   * What else answers it. `any`: any text and any other JSON. `object`: any JSON object. `schema`: what its schema says, or
   * edited arguments of a tool call. `nothing`: the choices are all there is.
   */
  otherwise: "any" | "object" | "schema" | "nothing";
}

/** So many of the answers that an agent lists are offered. */
const MOST = 20;

/** More values than these are chosen from a list. */
const FEW = 8;

const YES = new Set(["yes", "approve", "accept"]);
const NO = new Set(["no", "decline", "reject", "deny"]);

/** Of schemas: keywords that say nothing about an answer. */
const SILENT = new Set(["$schema", "$id", "$comment", "title", "description", "examples", "default"]);
const COMPOSED = ["$ref", "oneOf", "anyOf", "allOf", "not", "if"];

type Schema = Record<string, unknown>;

/**
 * The ways to answer an interrupt: as buttons, and otherwise. Without a schema they are the answers of
 * `metadata.answers` (`[{label, payload}]`) or else a yes, `{"approved": true}`, and a no, `{"approved": false}`.
 */
export function answersOf({ reason, responseSchema, metadata }: Interrupt): Answers {
  const schema = isObject(responseSchema) && Object.keys(responseSchema).some((keyword) => !SILENT.has(keyword)) ? responseSchema : undefined;
  const listed = listedIn(metadata);
  if (!schema) {
    if (reason === "tool_call" && listed.length === 0) return { choices: yesAndNo("Approve", "Decline"), otherwise: "schema" };
    if (reason === "aguiws:paused") return { choices: [{ label: "Go on", means: "yes" }], otherwise: "nothing" };
    if (reason === "aguiws:auth_required") return { choices: [{ label: "Done" }], otherwise: "nothing" };
  }
  const decided = schema && approvalOf(schema, reason);
  if (decided) return { choices: decided, otherwise: "schema" };
  if (listed.length > 0) return { choices: listed, otherwise: schema ? "schema" : "any" };
  return schema ? bySchema(schema) : { choices: yesAndNo("Yes", "No"), otherwise: "any" };
}

/** The words of a question: its message or, where that is a JSON object, the member of it that asks. Undefined: it has none. */
export function questionText({ message }: Pick<Interrupt, "message">): string | undefined {
  const member = askingMember(message);
  return member === undefined ? undefined : "name" in member ? member.text : message;
}

/** A longer message is taken as it is, in characters. */
const READ = 100_000;

/** Which member of a message asks: one that is named, or the message itself; undefined where nothing in it does. */
export function askingMember(message: string | undefined): { name: string; text: string } | { whole: true } | undefined {
  if (typeof message !== "string" || message.trim() === "") return undefined;
  if (message.length > READ || !/^\s*[[{]/.test(message)) return { whole: true };
  let said: unknown;
  try {
    said = JSON.parse(message);
  } catch {
    return { whole: true };
  }
  if (!isObject(said)) return undefined;
  for (const name of ["question", "message", "prompt", "title"]) {
    const text = said[name];
    if (typeof text === "string" && text.trim() !== "") return { name, text };
  }
  return undefined;
}

function yesAndNo(yes: string, no: string): AnswerChoice[] {
  return [
    { label: yes, payload: { approved: true }, means: "yes" },
    { label: no, payload: { approved: false }, means: "no" },
  ];
}

/** What an agent lists as answers. What is of another shape is left out. */
function listedIn(metadata: Interrupt["metadata"]): AnswerChoice[] {
  const answers: unknown = isObject(metadata) ? metadata.answers : undefined;
  if (!Array.isArray(answers)) return [];
  const listed = answers.filter((one): one is { label: string; payload: unknown } => isObject(one) && typeof one.label === "string" && one.label.trim() !== "" && "payload" in one);
  return meant(listed.slice(0, MOST).map(({ label, payload }) => ({ label, payload })));
}

/** The choices with what they mean, where one alone means it. */
function meant(choices: AnswerChoice[]): AnswerChoice[] {
  const meanings = choices.map(({ label, payload }) => {
    if (isObject(payload) && typeof payload.approved === "boolean") return payload.approved ? "yes" : "no";
    const word = label.trim().toLowerCase();
    return YES.has(word) ? "yes" : NO.has(word) ? "no" : undefined;
  });
  return choices.map((choice, i) => {
    const means = meanings[i];
    return means && meanings.filter((other) => other === means).length === 1 ? { ...choice, means } : choice;
  });
}

/** The yes and the no of a schema that asks for a decision; none of one that wants more with it. Undefined: it asks for something else. */
function approvalOf(schema: Schema, reason: string): AnswerChoice[] | undefined {
  const words = (properties: Schema) => (reason === "tool_call" || "editedArgs" in properties ? yesAndNo("Approve", "Decline") : yesAndNo("Yes", "No"));
  const either = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(either) && either.length === 2) {
    const saying = (word: boolean) => either.find((one) => isObject(one) && isObject(membersOf(one).approved) && (membersOf(one).approved as Schema).const === word) as Schema | undefined;
    const [yes, no] = [saying(true), saying(false)];
    if (yes && no && wanted(yes, "approved").length === 0 && wanted(no, "approved").length === 0) return words(membersOf(yes));
  }
  const properties = membersOf(schema);
  const { approved } = properties;
  if (!isObject(approved) || approved.type !== "boolean" || COMPOSED.some((keyword) => keyword in schema)) return undefined;
  return wanted(schema, "approved").length === 0 ? words(properties) : [];
}

function bySchema(schema: Schema): Answers {
  const values = valuesOf(schema);
  if (values) return { choices: meant(values), otherwise: "nothing" };
  const keywords = Object.keys(schema).filter((keyword) => !SILENT.has(keyword));
  if (schema.type !== "object" || !keywords.every((keyword) => ["type", "properties", "required", "additionalProperties"].includes(keyword))) {
    return { choices: [], otherwise: "schema" };
  }
  const names = Object.keys(membersOf(schema));
  const required = wanted(schema);
  const [only] = required;
  if (names.length === 0 && required.length === 0) {
    if (schema.additionalProperties === false) return { choices: [{ label: "Confirm", payload: {}, means: "yes" }], otherwise: "nothing" };
    if (schema.additionalProperties === undefined || schema.additionalProperties === true) return { choices: yesAndNo("Yes", "No"), otherwise: "object" };
  }
  // What else there is to say would be passed over by whoever presses a button.
  if (only === undefined || required.length > 1 || names.length > 1) return { choices: [], otherwise: "schema" };
  const member = membersOf(schema)[only];
  const choices = isObject(member) && member.type !== "boolean" ? valuesOf(member) : undefined;
  if (!choices) return { choices: [], otherwise: "schema" };
  return { choices: meant(choices).map((one) => ({ ...one, payload: { [only]: one.payload } })), otherwise: "nothing" };
}

/** The few values that a schema allows, with labels; undefined where it allows others. */
function valuesOf(schema: Schema): AnswerChoice[] | undefined {
  const keywords = Object.keys(schema).filter((keyword) => !SILENT.has(keyword) && keyword !== "type");
  if (keywords.length === 0) return schema.type === "boolean" ? [{ label: "Yes", payload: true }, { label: "No", payload: false }] : undefined;
  if (keywords.length > 1) return undefined;
  const { enum: all, oneOf, anyOf } = schema;
  const titled = oneOf ?? anyOf;
  const values = Array.isArray(all)
    ? all.map((value: unknown) => ({ value, title: undefined }))
    : Array.isArray(titled) && titled.every((one) => isObject(one) && "const" in one)
      ? titled.map((one: Schema) => ({ value: one.const, title: one.title }))
      : [];
  if (values.length === 0 || values.length > FEW || values.some(({ value }) => typeof value === "object" && value !== null)) return undefined;
  return values.map(({ value, title }) => ({
    label: typeof title === "string" && title.trim() !== "" ? title : worded(value),
    payload: value,
  }));
}

/** `ask_again` reads "Ask again"; what is no plain word stays as it is. */
function worded(value: unknown): string {
  const text = String(value);
  return typeof value === "string" && /^[a-z]+(_[a-z]+)*$/.test(text) ? text[0]!.toUpperCase() + text.slice(1).replaceAll("_", " ") : text;
}

function membersOf(schema: Schema): Schema {
  return isObject(schema.properties) ? schema.properties : {};
}

/** The names that a schema requires beside one. */
function wanted(schema: Schema, beside?: string): string[] {
  return Array.isArray(schema.required) ? schema.required.filter((name) => name !== beside).map(String) : [];
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
