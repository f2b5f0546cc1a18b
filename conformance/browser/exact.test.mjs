// What is shown is what is carried out: numbers to the digit, and nothing that hides.

import assert from "node:assert/strict";
import { calledWith, guarded, person, signIn, Tab, test, unique, until } from "./lane.mjs";

/** Numbers that no double holds or writes so, a character that turns around what follows, a Cyrillic letter in a Latin word. */
const MEMBERS = [
  ["account", "9007199254740993"],
  ["limit", "1e400"],
  ["share", "1.0"],
  ["serial", "1234567890123456789012345678901234567891"],
  ["to", '"eve-\u202e4321"'],
  ["bank", '"p\u0430ypal"'],
  ["note", '"please"'],
];
const ARGS = `{${MEMBERS.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
const SHOWN = `{\n${MEMBERS.map(([name, value]) => `  "${name}": ${value}`).join(",\n")}\n}`;
const MISLEADING =
  "Contains characters that can mislead: U+202E right-to-left override; “p\u0430ypal” mixes Latin letters with others that look like them (U+0430 Cyrillic letter).";

async function signedIn(context, place, threadId) {
  const tab = await Tab.at(context, `${guarded}${place}`, threadId, { serverMayRefuse: true });
  await signIn(tab);
  return tab;
}

async function asking(context, tool) {
  const threadId = crypto.randomUUID();
  const tab = await signedIn(context, `/?thread=${threadId}`, threadId);
  await tab.connected();
  await tab.say(`/tool ${tool} ${ARGS}`);
  await tab.asked("tool_call");
  return tab;
}

/** Where a question is answered: the tab that shows it, and its card there. */
const PLACES = {
  chat: async (chat) => {
    // It comes as events first, and then as a snapshot.
    await chat.reload();
    return { tab: chat, card: (await chat.asked("tool_call")).first() };
  },
  inbox: async (chat) => {
    const tab = await signedIn(chat.page.context(), "/inbox");
    return { tab, card: (await tab.pick(chat)).getByTestId("interrupt") };
  },
};

/** What is seen of a text's marks: what is drawn before each, and whether the digits behind the first stand in their order. */
const drawn = (pre) =>
  pre.evaluate((element) => {
    const marks = [...element.querySelectorAll('[data-testid="mark"]')].map((mark) => ({
      label: mark.getAttribute("aria-label"),
      code: getComputedStyle(mark, "::before").content,
      seen: mark.getBoundingClientRect().width > 0,
    }));
    const digits = element.querySelector('[data-testid="mark"]').nextSibling;
    const lefts = [0, 1, 2, 3].map((i) => {
      const range = document.createRange();
      range.setStart(digits, i);
      range.setEnd(digits, i + 1);
      return range.getBoundingClientRect().left;
    });
    return { marks, inOrder: digits.data.startsWith("4321") && lefts.every((left, i) => i === 0 || left > lefts[i - 1]) };
  });

for (const [place, colorScheme] of [["chat", "dark"], ["inbox", "light"]]) {
  test(`${place}: what is approved is what is shown, to the digit`, async () => {
    const tool = unique("pay");
    const chat = await asking(await person({ colorScheme }), tool);
    const { tab, card } = await PLACES[place](chat);
    await tab.front();
    await card.getByTestId("proposed-args-as-json").locator("summary").click();
    const shown = card.getByTestId("proposed-args-json");
    assert.equal(await shown.textContent(), SHOWN);
    assert.deepEqual(await drawn(shown), {
      marks: [
        { label: "U+202E right-to-left override", code: '"U+202E"', seen: true },
        { label: "U+0430 Cyrillic letter: the word mixes Latin letters with others that look like them", code: "none", seen: true },
      ],
      inOrder: true,
    });
    assert.deepEqual(await card.getByTestId("misleading").allTextContents(), [MISLEADING]);
    await card.getByTestId("decline").waitFor();
    await tab.shot(`77-exact-${place}-${colorScheme}`);
    await tab.decide(card.getByTestId("approve"));
    if (place === "inbox") {
      await until(async () => (await tab.at("inbox-said").textContent()).includes("to eve-[U+202E]4321"), "what was approved is said");
    }
    await chat.says(`I have called ${tool}.`);
    assert.deepEqual(await calledWith(tool), [ARGS]);
    await chat.rest();
    await chat.front();
    await chat.at("tool-card").last().locator("summary").first().click();
    await chat.at("tool-args-as-json").locator("summary").click();
    assert.equal(await chat.at("tool-args-json").textContent(), SHOWN);
    assert.equal(await chat.at("tool-result").count(), 0, "the result is what was approved, to the last digit");
  });

  test(`${place}: an edit changes what was edited, and no other byte`, async () => {
    const tool = unique("pay");
    const chat = await asking(await person({ colorScheme }), tool);
    const { tab, card } = await PLACES[place](chat);
    await tab.front();
    await tab.decide(card.getByTestId("edit"));
    await card.getByTestId("args-as-json").click();
    const editor = card.getByTestId("args-editor");
    // In a text field no mark can be drawn.
    const typed = SHOWN.replace("\u202e", "\\u202e");
    assert.equal(await editor.inputValue(), typed);
    assert.deepEqual(await card.getByTestId("misleading").allTextContents(), [MISLEADING]);
    await editor.fill(typed.replace("please", "now"));
    await tab.shot(`78-exact-edited-${place}-${colorScheme}`);
    await tab.decide(card.getByTestId("approve-edited"));
    await chat.says(`I have called ${tool}.`);
    assert.deepEqual(await calledWith(tool), [ARGS.replace("please", "now")]);
  });
}
