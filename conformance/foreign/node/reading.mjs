// What clients send: JSON with no member twice, not too deep, whose numbers keep their digits, and inputs.
import { randomUUID } from "node:crypto";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";

const mark = `${randomUUID()}:`; // begins the strings that stand for numbers, which no peer can guess
const marked = new RegExp(`"${mark}([^"]*)"`, "g");
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** read is the object that a text holds. */
export function read(text) {
  const value = JSON.parse(text); // so the tokens below are JSON's
  if (typeof value !== "object" || !value || Array.isArray(value)) throw new SyntaxError("it is not one JSON object");
  const around = []; // the names so far of each object around, null for an array
  let last;
  const numbered = text.replace(token, (t) => {
    const names = around.at(-1);
    if (t === "}" || t === "]") around.pop();
    if ((t === "{" || t === "[") && around.push(t === "{" ? new Set() : null) > 128) throw new SyntaxError("it is nested too deeply");
    if (t[0] === '"' && names && last !== ":") {
      if (names.has(JSON.parse(t))) throw new SyntaxError(`the member ${t} comes twice`);
      names.add(JSON.parse(t));
    }
    last = t;
    return /^[-\d]/.test(t) ? `"${mark}${t}"` : t;
  });
  return JSON.parse(numbered);
}

export const write = (value) => JSON.stringify(value).replace(marked, "$1");

/** number is a number that was read, and undefined for another value. */
export const number = (value) => (typeof value === "string" && value.startsWith(mark) ? Number(value.slice(mark.length)) : undefined);
const isText = (value) => typeof value === "string" && number(value) === undefined;
export const isId = (value) => value === undefined || (isText(value) && Buffer.byteLength(value) <= 64);
export const isName = (value) => isText(value) && value !== "" && Buffer.byteLength(value) <= 1024 && ![".", "..", "/"].includes(value);
export const isPosition = (p) => isText(p?.epoch) && p.epoch !== "" && Number.isSafeInteger(number(p.seq)) && number(p.seq) >= 0;

/** canonical is the same text for equal values: members sorted, numbers by their decimal value. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value && typeof value === "object") return `{${Object.keys(value).sort().map((k) => JSON.stringify(k) + canonical(value[k]))}}`;
  if (number(value) === undefined) return JSON.stringify(value) ?? "null";
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(value.slice(mark.length));
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  return kept ? `${sign}${kept}e${BigInt(exponent) - BigInt(fraction.length - digits.length + kept.length)}` : "0";
}

const roles = ["developer", "system", "assistant", "user", "tool", "reasoning"];
const parts = ["text", "image", "audio", "video", "document", "binary"];
const isKnown = (part) => !part?.type || (parts.includes(part.type) && ["data", "url", "file", undefined].includes(part.source?.type));
const members = `id role name content toolCalls toolCallId error encryptedValue subagentRunId
  type text source value mimeType provider filename function arguments`.split(/\s+/); // of messages, parts and calls

/** readMessage leaves out what AG-UI does not define. */
function readMessage(message) {
  if (typeof message !== "object" || !message) return message;
  const content = Array.isArray(message.content) ? message.content.filter(isKnown) : message.content;
  return { ...JSON.parse(JSON.stringify({ ...message, content }, members)), metadata: message.metadata ?? undefined };
}

/** readInput passes over what AG-UI lets readers pass over. It is {input}, or {problems}: each place that is wrong. */
export function readInput(given) {
  const input = Object.fromEntries(Object.entries({ messages: [], ...given }).filter(([, value]) => value !== null));
  if (Array.isArray(input.messages)) input.messages = input.messages.filter((m) => !isText(m?.role) || roles.includes(m.role)).map(readMessage);
  const { error } = RunAgentInputSchema.safeParse(JSON.parse(write(input)));
  const problems = error?.issues.map(({ path, message }) => `${["", ...path].join("/")}: ${message}`) ?? [];
  for (const name of ["threadId", "runId"]) if (!isName(input[name])) problems.push(`/${name}: it has 1 to 1024 bytes, and is not ".", ".." or "/"`);
  return problems.length ? { problems } : { input };
}
