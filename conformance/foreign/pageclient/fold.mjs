// What AG-UI's events build: messages, state, open interrupts, and what is open in mid-run.

const opens = {
  SUBAGENT_STARTED: (e) => ["subagent", e.subagentRunId, { type: "SUBAGENT_FINISHED", subagentRunId: e.subagentRunId }],
  STEP_STARTED: (e) => ["step", `${e.subagentRunId ?? ""} ${e.stepName}`, { ...e, type: "STEP_FINISHED" }],
  TEXT_MESSAGE_START: (e) => ["text", e.messageId, { type: "TEXT_MESSAGE_END", messageId: e.messageId }],
  TOOL_CALL_START: (e) => ["call", e.toolCallId, { type: "TOOL_CALL_END", toolCallId: e.toolCallId }],
  REASONING_START: (e) => ["reasoning", e.messageId, { type: "REASONING_END", messageId: e.messageId }],
  REASONING_MESSAGE_START: (e) => ["thought", e.messageId, { type: "REASONING_MESSAGE_END", messageId: e.messageId }],
};
const closes = {
  SUBAGENT_FINISHED: (e) => `subagent ${e.subagentRunId}`,
  SUBAGENT_ERROR: (e) => `subagent ${e.subagentRunId}`,
  STEP_FINISHED: (e) => `step ${e.subagentRunId ?? ""} ${e.stepName}`,
  TEXT_MESSAGE_END: (e) => `text ${e.messageId}`,
  TOOL_CALL_END: (e) => `call ${e.toolCallId}`,
  REASONING_END: (e) => `reasoning ${e.messageId}`,
  REASONING_MESSAGE_END: (e) => `thought ${e.messageId}`,
};

export const isEnd = (e) => e.type === "RUN_FINISHED" || e.type === "RUN_ERROR";

// keyOf is the name of what an event opens, if it opens anything.
export const keyOf = (e) => opens[e.type] && opens[e.type](e).slice(0, 2).join(" ");

// track keeps the map of what is open, in the order of opening, with the event that ends each.
export function track(open, e) {
  if (opens[e.type]) open.set(keyOf(e), opens[e.type](e)[2]);
  else if (closes[e.type]) open.delete(closes[e.type](e));
  else if (isEnd(e)) open.clear();
}

function patch(document, operations) {
  const root = { "": document };
  for (const { op, path, value } of operations) {
    const names = path.split("/").map((n) => n.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = names.pop();
    const at = [""].concat(names.slice(1)).reduce((o, n, i) => (i === 0 && path === "" ? root : o[n]), root);
    if (op === "remove") Array.isArray(at) ? at.splice(+last, 1) : delete at[last];
    else if (op === "add" && Array.isArray(at)) at.splice(last === "-" ? at.length : +last, 0, value);
    else if (op === "add" || op === "replace") at[last] = value;
    else throw new Error(`no ${op} here`);
  }
  return root[""];
}

export class Fold {
  messages = [];
  state = {};
  interrupts = [];
  open = new Map();
  run = null; // the run that is open here

  #message(id, role) {
    let m = this.messages.find((x) => x.id === id);
    if (!m) this.messages.push((m = { id, role })); // a snapshot may have it already, with its text so far
    return m;
  }

  // illegal says what AG-UI forbids an event here.
  illegal(e) {
    if ((e.type === "RUN_STARTED") !== (this.run === null)) return `with run ${this.run}`;
    if (e.type === "RUN_FINISHED" && (this.open.size || e.runId !== this.run)) return `with ${[...this.open.keys()]} open in ${this.run}`;
    if (opens[e.type] && this.open.has(keyOf(e))) return "twice";
    if (closes[e.type] && !this.open.has(closes[e.type](e))) return "without a beginning";
    const part = { TEXT_MESSAGE_CONTENT: `text ${e.messageId}`, TOOL_CALL_ARGS: `call ${e.toolCallId}`, REASONING_MESSAGE_CONTENT: `thought ${e.messageId}` }[e.type];
    if (part && !this.open.has(part)) return "without a beginning";
  }

  apply(e) {
    const why = this.illegal(e);
    if (why) throw new Error(`${e.type} ${e.runId ?? e.messageId ?? e.toolCallId ?? ""} ${why}`);
    track(this.open, e);
    const by = e.subagentRunId ? { subagentRunId: e.subagentRunId } : {};
    switch (e.type) {
      case "RUN_STARTED":
        this.run = e.runId;
        for (const m of e.input?.messages ?? [])
          if (!this.messages.some((x) => x.id === m.id)) this.messages.push(structuredClone(m));
        break;
      case "RUN_FINISHED":
      case "RUN_ERROR":
        this.run = null;
        this.interrupts = e.outcome?.interrupts ?? [];
        break;
      case "STATE_SNAPSHOT": this.state = structuredClone(e.snapshot); break;
      case "STATE_DELTA": this.state = patch(this.state, structuredClone(e.delta)); break;
      case "MESSAGES_SNAPSHOT": this.messages = structuredClone(e.messages); break;
      case "TEXT_MESSAGE_START": Object.assign(this.#message(e.messageId, e.role), by); break;
      case "REASONING_MESSAGE_START": Object.assign(this.#message(e.messageId, "reasoning"), by); break;
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT": {
        const m = this.#message(e.messageId);
        m.content = (m.content ?? "") + e.delta;
        break;
      }
      case "TOOL_CALL_START": {
        const m = this.#message(e.parentMessageId ?? e.toolCallId, "assistant");
        m.toolCalls ??= [];
        if (!m.toolCalls.some((c) => c.id === e.toolCallId))
          m.toolCalls.push({ id: e.toolCallId, type: "function", function: { name: e.toolCallName, arguments: "" } });
        break;
      }
      case "TOOL_CALL_ARGS":
        for (const m of this.messages)
          for (const c of m.toolCalls ?? []) if (c.id === e.toolCallId) c.function.arguments += e.delta;
        break;
      case "TOOL_CALL_RESULT": {
        const calls = (m) => m.toolCalls?.some((c) => c.id === e.toolCallId);
        const m = { id: e.messageId, role: "tool", toolCallId: e.toolCallId, content: e.content };
        let behind = (this.messages.findIndex(calls) + 1) || this.messages.length;
        while (this.messages[behind]?.role === "tool") behind++; // earlier results of that message
        this.messages.splice(behind, 0, m);
        break;
      }
    }
  }
}
