// Node with @ag-ui/encoder over SSE, nothing kept: node server.mjs FOLDER [turn], where
// FOLDER has the packages. With "turn" each event has a turn of the event loop, as those
// have that wait for a model.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const [folder, pace] = process.argv.slice(2);
const { EventEncoder } = createRequire(folder + "/")("@ag-ui/encoder");
const messageId = "3f1c6f0e-5d0a-4b8e-9d64-0d6e5b7a9c11";
const size = 180 - `{"type":"TEXT_MESSAGE_CONTENT","timestamp":1234567890123456,"messageId":"${messageId}","delta":""}`.length;
const deltas = Array.from({ length: 1024 }, (_, i) => (String(i + 1000) + "abcdefgh ".repeat(20)).slice(0, size));
const micros = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

const newPhase = () => {
  const phase = { events: 0, rate: 0 };
  phase.begun = new Promise((begin) => (phase.begin = begin));
  return phase;
};
let upcoming = newPhase();
let runs = 0;

async function emit(phase, response, encoder) {
  const offset = (++runs * 1.618033988749895) % 1;
  for (let done = 0; ; phase = phase.next) {
    await phase.begun;
    for (let i = 0; i < phase.events; i++) {
      if (phase.rate > 0) {
        const wait = phase.start + ((i + offset) * 1000) / phase.rate - performance.now();
        if (wait > 0) await pause(wait);
      }
      const event = { type: "TEXT_MESSAGE_CONTENT", timestamp: micros(), messageId, delta: deltas[(done + i) & 1023] };
      if (!response.write(encoder.encodeSSE(event))) await new Promise((drained) => response.once("drain", drained));
      else if (pace === "turn" && !phase.rate) await new Promise((turn) => setImmediate(turn));
    }
    done += phase.events;
  }
}

const server = createServer(async (request, response) => {
  const phase = upcoming;
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += piece;
  const { threadId, runId } = JSON.parse(body);
  const encoder = new EventEncoder({ accept: "text/event-stream" });
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write(encoder.encodeSSE({ type: "RUN_STARTED", threadId, runId }));
  emit(phase, response, encoder);
});

function used() {
  const { user, system } = process.cpuUsage();
  return { at: micros(), cpu: user + system, bytes: 0, objects: 0, resident: process.memoryUsage.rss(), goroutines: 0 };
}

server.listen(0, "127.0.0.1", () => console.log(`127.0.0.1:${server.address().port}`));
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [word, events, rate] = line.split(" ");
    console.log(JSON.stringify(used()));
    if (word !== "go") return;
    const phase = upcoming;
    Object.assign(phase, { events: Number(events), rate: Number(rate), start: performance.now(), next: (upcoming = newPhase()) });
    phase.begin();
  })
  .on("close", () => process.exit(0));
