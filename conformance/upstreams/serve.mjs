// What the servers of all targets share: the words that they obey, the file of effects, and HTTP around an agent.
//
//   node TARGET/server.mjs PORT EFFECTS     PORT 0 is any; the line "ready URL" says where it is
//
// EFFECTS gets a line of JSON for each thing that really happened: {"tool","args"}, as the script agent writes them, and
// {"tool":"left","args":{"threadId"}} when a client has gone before its run was over. Nothing else is taken back from it.

import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const [port = "0", file] = process.argv.slice(2);

const SOON_MS = 1000;

/** Leaves a line for what has happened. */
export function effect(tool, args) {
  if (file) appendFileSync(file, JSON.stringify({ tool, args }) + "\n");
}

/**
 * What a text tells the agent to do. `send` and `both` are about mails to people of these names, of which the lane
 * counts how many went out, and `soon` about one whose question has little time. `steps`, which LangGraph alone has,
 * are counted by their name; `heedless` ones go on when the client has gone.
 */
export function command(text) {
  const [word, ...rest] = String(text).trim().split(/\s+/);
  switch (word) {
    case "/slow":
      return { word: "slow", count: Number(rest[0]), ms: Number(rest[1]) };
    case "/send":
      return { word: "send", to: rest.slice(0, 1) };
    case "/soon":
      return { word: "send", to: rest.slice(0, 1), expiresAt: new Date(Date.now() + SOON_MS).toISOString() };
    case "/both":
      return { word: "both", to: rest.slice(0, 2) };
    case "/steps":
      return { word: "steps", count: Number(rest[0]), ms: Number(rest[1]), name: rest[2], heedless: rest[3] === "heedless" };
    case "/fail":
      return { word: "fail", text: rest.join(" ") };
    default:
      return { word: "say", text: rest.length && word === "/say" ? rest.join(" ") : String(text) };
  }
}

/** The text of the last message of the user. */
export function asked(messages) {
  const content = messages.findLast((message) => message.role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

export const numbers = (count) => Array.from({ length: count }, (_, i) => `${i + 1} `);
export const pause = (ms) => new Promise((over) => setTimeout(over, ms));

/**
 * Answers POST by what `run` writes: it is given the input, a signal that is aborted when the client has gone, and the
 * response, and whoever goes away before its promise is kept has left. `stop` is given what is POSTed to /stop.
 */
export function serve(run, { stop, close } = {}) {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    let input;
    try {
      input = JSON.parse(body);
    } catch {
      return void response.writeHead(400).end();
    }
    if (stop && request.url === "/stop") {
      stop(input);
      return void response.end();
    }
    const gone = new AbortController();
    response.on("close", () => {
      if (response.writableFinished) return;
      effect("left", { threadId: input.threadId });
      gone.abort();
    });
    try {
      await run(input, gone.signal, response);
    } catch (error) {
      if (!gone.signal.aborted) console.error(error);
      if (!response.headersSent) response.writeHead(500);
    }
    response.end();
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => Promise.resolve(close?.()).finally(() => process.exit()));
  server.listen(Number(port), "127.0.0.1", () => console.log(`ready http://127.0.0.1:${server.address().port}/`));
}

/**
 * Writes the events of an AbstractAgent of @ag-ui/client as their encoder does; ends when the client has gone, and aborts
 * the agent's run unless `aborts` is false.
 */
export function told(agent, input, signal, response, encoder, aborts = true) {
  return new Promise((over) => {
    response.writeHead(200, { "content-type": encoder.getContentType() });
    const events = agent.run(input).subscribe({
      next: (event) => response.write(encoder.encode(event)),
      error: (error) => {
        response.write(encoder.encode({ type: "RUN_ERROR", message: error.message }));
        over();
      },
      complete: over,
    });
    signal.addEventListener("abort", () => {
      if (aborts) agent.abortRun();
      events.unsubscribe();
      over();
    });
  });
}
