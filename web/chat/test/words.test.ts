// Every failure that the server or the page can name has words of its own.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { saidBy, sentence, whyRestated, wordsFor } from "../src/lib/words";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (file: string) => readFileSync(root + file, "utf8");
const sources = (folder: string, name: RegExp) =>
  (readdirSync(root + folder, { recursive: true }) as string[])
    .filter((file) => name.test(file) && !/_test\.go$|^test\//.test(file))
    .map((file) => read(`${folder}/${file}`))
    .join("\n");
const found = (text: string, expression: RegExp) => [...text.matchAll(expression)].map((match) => match[1]!);

/** The rows of the binding's tables of codes: the codes, and how they come. */
const rows = read("docs/binding/codes.md")
  .split("\n")
  .filter((line) => /^\| (?:`[a-z_]+`|\d{4})/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));
const told = (as: RegExp) => rows.filter((row) => row.length > 5 && as.test(row[2]!)).flatMap((row) => found(row[1]!, /`([a-z_]+)`/g));

const without = wordsFor("a code that nobody gives");

it("has something to say of what it does not know", () => {
  for (const code of ["a code that nobody gives", "4999"]) {
    expect(wordsFor(code).title).toMatch(/./);
    expect(wordsFor(code).advice).toMatch(/./);
  }
});

// What the page has of the client: the chats of others have words of their own.
const ownClient = sources("web/client", /^(?!tanstack|chunkqueue).*\.ts$/);

const origins: Record<string, string[]> = {
  "as statuses": told(/\d{3}/),
  "as refused frames": told(/ws\.error/),
  "as refusals and ends of runs": told(/RUN_ERROR/),
  "as ends of streams": told(/stream/),
  "in closing": rows.map((row) => row[1]!).filter((code) => /^\d{4}$/.test(code)),
  // What fails in a login is told on a page of its own.
  "from the server's sources": [
    ...found(sources("server", /^(?!login\/).*\.go$/), /\b(?:Code|code)[A-Za-z]*(?::\s+|\s+=\s+)"([a-z_]+)"/g),
    ...found(sources("server", /\.go$/), /\b(?:newProblem|refusal\.New)\([\w.]+, "([a-z_]+)"/g),
  ],
  "from the runner's sources": found(sources("adapter", /\.go$/), /\bCode[A-Z]\w*\s+=\s+"([a-z_]+)"/g),
  "from the gateway's sources": found(sources("gateway", /\.go$/), /\bCode[A-Z]\w*\s+=\s+"([a-z_]+)"/g),
  "from the models' sources": found(sources("llm", /\.go$/), /\bCode[A-Z]\w*\s+=\s+"([a-z_]+)"/g),
  "from the client's sources": [
    ...found(ownClient, /TransportError\(\s*"(\w+)"/g),
    ...found(ownClient, /refused\(undefined, "(\w+)"/g),
    ...found(ownClient, /^const [A-Z]+ = "([a-z_]+)";/gm),
    ...found(/FINAL_CLOSES = new Set\(\[(.*)\]\)/.exec(ownClient)![1]!, /(\d{4})/g),
  ],
  "from the page's sources": [
    ...found(sources("web/chat/src", /\.tsx?$/), /ApiError\([\w.]+, "(\w+)"/g),
    ...found(sources("web/chat/src", /\.tsx?$/), /code(?:: | \?\? | : )"(\w+)"/g),
  ],
};

it.each(Object.entries(origins))("has words for codes %s", (_, codes) => {
  expect(codes.length).toBeGreaterThan(0);
  // What another system posts to /v1/events is told to that system alone, and who does not get signed in reads a page of the server.
  expect(codes.filter((code) => !/^(event|signin)_/.test(code) && [without.title, wordsFor("4999").title].includes(wordsFor(code).title))).toEqual([]);
});

it("finds the codes it is about", () => {
  const all = new Set(Object.values(origins).flat());
  for (const code of [
    "4400", "1009", "1003", "4401", "no_credential", "origin_not_allowed", "host_not_allowed", "unsupported_subprotocol", "unknown_agent", "bad_address",
    "no_websocket", "invalid_frame", "malformed_frame", "worker_lost", "agent_replay_diverged", "overloaded", "body_too_large", "unreachable",
    "unacceptable_events", "detached", "input_too_large", "run_forgotten", "cancelled", "thread_not_found", "run_timeout", "dispatch_gone",
  ]) {
    expect(all, code).toContain(code);
  }
});

it("says of each what happened and what can be done", () => {
  for (const code of new Set(Object.values(origins).flat())) {
    const { title, advice } = wordsFor(code);
    expect(title, code).toMatch(/^[A-Z].*[^.]$/);
    expect(advice, code).toMatch(/^[A-Z].*\.$/);
  }
});

it("says why a conversation was loaded anew", () => {
  const reasons: string[] = JSON.parse(read("docs/binding/frames.schema.json")).$defs["server.ws.attached"].properties.reason.enum;
  expect(reasons.length).toBeGreaterThan(3);
  expect(reasons.filter((reason) => /_|^[a-z]+$/.test(whyRestated(reason) ?? "nothing to speak of"))).toEqual([]);
});

it.each([["the store is away", "the store is away."], ["Done. ", "Done."], ["Really?", "Really?"], ["", ""]])("makes a sentence of %j", (message, whole) => {
  expect(sentence(message)).toBe(whole);
});

it("knows the run of each failure that the server's log alone tells of", () => {
  const messages = found(read("adapter/internal/execution/failure.go"), /Message: "([^"]*log says[^"]*)" \+ x\.Claim\.RunID/g);
  expect(messages.length).toBeGreaterThan(1);
  for (const message of messages) expect(saidBy({ code: "agent_error", message: `${message}3f0a-11` }).run, message).toBe("3f0a-11");
});
