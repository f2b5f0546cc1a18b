// An endpoint of chat completions without a network: aimock, with what the tests ask it.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, auth: { apiKeys: ["lane-key"] } });
const toolCalls = [
  { name: "current_time", arguments: JSON.stringify({ zone: "Europe/Paris" }) },
  { name: "send_email", arguments: JSON.stringify({ to: "ann@example.com", subject: "Tonight", body: "Dinner at eight?" }) },
  { name: "book_table", arguments: JSON.stringify({ restaurant: "Chez Nous", people: 2 }) },
];
const asked = (text, hasToolResult) => ({ match: { userMessage: text, hasToolResult } });

mock.addFixture({ ...asked("arrange", false), response: { content: "A moment.", toolCalls } });
mock.addFixture({ ...asked("arrange", true), response: { reasoning: "All went well.", content: "Both are arranged." } });

// Two chunks come at once, and the next one when nobody waits any more.
const stalls = { chunkSize: 5, recordedTimings: { ttftMs: 0, interChunkDelaysMs: [0, 0, 600_000] } };

// What comes after the tool's result never ends, until it is asked for again.
mock.addFixture({ ...asked("crash", false), response: { toolCalls: toolCalls.slice(1, 2) } });
mock.addFixture({
  match: { userMessage: "crash", hasToolResult: true, sequenceIndex: 0 },
  response: { content: "This answer is cut off in the middle of it." }, ...stalls,
});
mock.addFixture({ match: { userMessage: "crash", hasToolResult: true, sequenceIndex: 1 }, response: { content: "The email is sent." } });

mock.addFixture({ match: { userMessage: "cancel" }, response: { content: "One could go on for ever." }, ...stalls });
mock.addFixture({ match: { userMessage: "too much" }, response: { error: { message: "slow down", type: "rate_limit_error" }, status: 429 } });

await mock.start();
console.log(`listening ${mock.url}`);
