import type { Message } from "@ag-ui/client";
import { useEffect, useState } from "react";
import { call, type ThreadInfo } from "../server/api";
import { fileName, mediaIn, saidIn } from "../files/media";
import { isObject } from "../../../react/forms/schema";
import { TOWARDS } from "../../../react/lib/naming";

/** What a title is cut to and what is read of a message for one, in bytes and characters, as the server does. */
const LENGTH = 60;
const READ = 1_000;

const COMMAND = /^\/[A-Za-z][A-Za-z0-9_-]*$/;
const COMPOUND = /^[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)+$/;
const TOOL_CALL = /^\s*[A-Za-z][A-Za-z0-9_-]*\s*\{\s*["}]/;
const JSON_BEGINS = /\{"|\{\}|\["|\[\{|\[\[|\[\]|^[{[]$/;

/** What Markdown puts around words, in the order in which it is taken away. */
const MARKUP: ReadonlyArray<readonly [RegExp, string]> = [
  [/(^|\n)[ \t]*```[^\n]*/g, "$1"],
  [/(^|\n)[ \t]*(?:#{1,6}|>|[-*+])[ \t]+/g, "$1"],
  [/!?\[([^[\]\n]*)\]\([^()\s]*\)/g, "$1"],
  [/`([^`\n]+)`/g, "$1"],
  [/\*\*([^*\n]+)\*\*/g, "$1"],
  [/~~([^~\n]+)~~/g, "$1"],
  [/(^|[\s(])\*([^*\s][^*\n]*)\*/g, "$1$2"],
];

/** What a conversation is called where it is looked at: how it began, and a command alone until more was said. Undefined before that. The server names threads by the same rule. */
export function titleOf(messages: readonly Message[]): string | undefined {
  let alone: string | undefined;
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    const text = saidIn(content);
    const [command, , said] = readIn(text);
    if (command !== "" && !/\p{L}/u.test(said)) alone ??= shortened(`/${command} ${said}`);
    else {
      const title = sentenceTitle(text) || shortened(mediaIn(content).map(fileName).find(Boolean) ?? "");
      if (title !== "") return title;
    }
  }
  return alone;
}

/** The first sentence of a text, without commands and JSON; empty where there is nothing else. */
function sentenceTitle(given: string): string {
  const [command, rest, title] = readIn(given);
  return shortened(command !== "" && (COMPOUND.test(title) || TOOL_CALL.test(rest)) ? spoken(title) + towardsIn(rest) : title);
}

/** The command that a text begins with, without its slash, what follows, and the first sentence of that. */
function readIn(given: string): [command: string, rest: string, title: string] {
  const text = given.trim();
  if (/^[{[]/.test(text) && /[}\]]$/.test(text)) return ["", "", ""];
  const begin = text.slice(0, READ);
  const [first = ""] = begin.split(/\s/, 1);
  const command = COMMAND.test(first) ? first.slice(1) : "";
  const rest = command === "" ? begin : begin.slice(first.length);
  return [command, rest, firstSentence(MARKUP.reduce((plain, [mark, words]) => plain.replace(mark, words), rest))];
}

/** " to ada@example.com" if the arguments of a call say so, which follow its name. */
function towardsIn(text: string): string {
  const at = text.indexOf("{");
  let given: unknown;
  try {
    given = at < 0 ? undefined : JSON.parse(text.slice(at));
  } catch {
    return "";
  }
  if (!isObject(given)) return "";
  for (const [name, way] of TOWARDS) {
    const whom = given[name];
    if (typeof whom === "string" && whom.trim() !== "") return ` ${way} ${whom}`;
  }
  return "";
}

function firstSentence(text: string): string {
  const words: string[] = [];
  for (const paragraph of text.replace(/[。！？]/g, "$& ").split(/\n\s*\n/)) {
    for (const word of paragraph.split(/\s+/).filter(Boolean)) {
      const json = JSON_BEGINS.exec(word);
      if (json) return sentenceOf([...words, word.slice(0, json.index).replace(/=+$/, "")]);
      words.push(word);
      if (endsSentence(word)) return sentenceOf(words);
    }
    if (words.length > 1) break;
  }
  return sentenceOf(words);
}

/** The words without the stop at their end, unless that is all there is. */
function sentenceOf(words: readonly string[]): string {
  const text = words.join(" ").trim();
  return text.replace(/[ .:,;\-–—]+$/, "") || text;
}

/** Tells the end of a sentence from an abbreviation. */
function endsSentence(word: string): boolean {
  const bare = word.replace(/["'”’)»]+$/, "");
  if (/[!?…。！？]$/.test(bare)) return true;
  const before = bare.slice(0, -1);
  const { length } = [...before];
  return bare.endsWith(".") && length > 2 && (length > 5 || !before.includes("."));
}

/** An identifier in words. */
function spoken(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replace(/[_-]/g, " ");
}

/** One line of so many bytes, cut at a word. */
function shortened(title: string): string {
  const text = title.trim().replace(/\s+/g, " ");
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= LENGTH) return text;
  let end = LENGTH - 3;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  const word = bytes.lastIndexOf(0x20, end - 1);
  return `${new TextDecoder().decode(bytes.subarray(0, word > end >> 1 ? word : end)).trimEnd()}…`;
}

/** What a conversation is called of which these messages are held. `cut`: not from its beginning, which the server knows. */
export function useTitle(threadId: string, messages: readonly Message[], cut: boolean): string | undefined {
  const [told, tell] = useState<Pick<ThreadInfo, "threadId" | "title">>();
  useEffect(() => {
    if (!cut) return;
    let left = false;
    // Without it the place has its own name.
    void call<ThreadInfo>("GET", `/threads/${encodeURIComponent(threadId)}`)
      .then((thread) => {
        if (!left) tell(thread);
      })
      .catch(() => {});
    return () => {
      left = true;
    };
  }, [threadId, cut]);
  if (!cut) return titleOf(messages);
  return told?.threadId === threadId ? shortened(told.title) || undefined : undefined;
}
