// What each unprepared agent asks, how a person answers it in each place, and what has to come of it.
//
// An answer has `page`, what is pressed or filled in, `cli`, the flags of inbox-cli, and `copilotkit`, which is the same in
// a page of CopilotKit. `sent` is what goes out, undefined: nothing. `says` is what the agent then says, undefined:
// nothing. `again`: it asks anew, as its documents have it.

const pressed = (hook) => (tab, card) => tab.decide(card.getByTestId(hook));

function typed(text, json = false) {
  return async (tab, card) => {
    await card.getByTestId("otherwise").click();
    if (json) await card.getByTestId("answer-is-json").check();
    await card.getByTestId(json ? "answer-json" : "answer-text").fill(text);
    await tab.decide(card.getByTestId("submit-answer"));
  };
}

const filled = (field, text) => async (tab, card) => {
  await card.getByTestId(`field-${field}`).fill(text);
  await tab.decide(card.getByTestId("submit-form"));
};

const yes = { page: pressed("approve"), cli: ["--approve"], copilotkit: "approve", sent: {}, says: "Sent" };
const no = { page: pressed("decline"), cli: ["--decline"], copilotkit: "decline", says: "Not sent" };
const cancel = { page: pressed("cancel"), cli: ["--cancel"], copilotkit: "cancel", says: "Not sent" };
const text = (text, sent) => ({ page: typed(text), cli: ["--with", JSON.stringify(text), "--answer"], copilotkit: text, sent, says: "Sent" });
const json = (value, sent) => ({ page: typed(JSON.stringify(value), true), cli: ["--with", JSON.stringify(value), "--answer"], copilotkit: value, sent, says: "Sent" });

const plain = {
  send: { asks: /^Send to \w+\?$/, answers: { yes, no, cancel } },
  when: { asks: /^When shall I write to \w+\?$/, answers: { text: text("tomorrow", { day: "tomorrow" }) } },
};

/** Mastra's package says nothing when a call is cancelled. */
const withdrawn = { ...cancel, says: undefined };

export const questions = {
  node: plain,
  python3: plain,
  langgraph: {
    approve: { asks: /^Send to \w+\?$/, answers: { yes, no, cancel } },
    choose: { asks: /^Send to \w+\?$/, answers: { yes, no, cancel } },
    edit: { asks: /^What shall I write to \w+\?/, answers: { text: text("Goodbye.", { text: "Goodbye." }), no, cancel } },
    tool: { asks: /^Send to \w+\?/, answers: { json: json({ action: "approve" }, {}), no, cancel } },
    review: { asks: /^Tool execution requires approval/, answers: { yes, no, cancel } },
  },
  mastra: {
    approve: { asks: /^Send to \w+\?/, answers: { yes, no: { ...no, says: undefined, again: true }, cancel: withdrawn } },
    choose: { asks: /^Send to \w+\?/, answers: { yes, no, cancel: withdrawn } },
    when: { asks: /^When shall I write to \w+\?/, answers: { form: { ...json({ day: "tomorrow" }, { day: "tomorrow" }), page: filled("day", "tomorrow") }, cancel: withdrawn } },
    flow: { asks: /^Send to \w+\?/, answers: { yes, no, cancel: withdrawn } },
  },
};
