// The page in its named states, as pictures: light and dark on a desk, light on a phone. None is wider than its screen,
// and axe looks at each size and theme.

import assert from "node:assert/strict";
import { ANN, barriers, embedded, guarded, person, PHONE, signIn, Tab, test, until } from "./lane.mjs";

const DESK = { width: 1280, height: 800 };
const POCKET = { width: PHONE, height: 844 };

/** The last is looked at alone: what axe finds in it, it finds in one of the others. */
const LOOKS = [["dark", DESK], ["light", POCKET], ["light", DESK]];

const fresh = () => person({ viewport: DESK });

async function state(tab, name) {
  await tab.front();
  const found = {};
  for (const [i, [colorScheme, size]] of LOOKS.entries()) {
    await tab.page.emulateMedia({ colorScheme });
    await tab.page.setViewportSize(size);
    const look = `${colorScheme}-${size.width}`;
    const wide = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    // Buttons that decide are drawn as they are when they may be pressed. What streams moves those below it, out of sight.
    await tab.page.waitForFunction(() => ![...document.querySelectorAll('[data-calm="false"]')].some((box) => box.getBoundingClientRect().top < innerHeight));
    // A picture of a size that has only just come may be of what was drawn before.
    await tab.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    found[look] = [...(wide > 0 ? [`${wide} pixels too wide`] : []), ...(i === LOOKS.length - 1 ? [] : await barriers(tab.page))];
    await tab.shot(`state-${name}-${look}`);
  }
  await tab.page.emulateMedia({ colorScheme: "light" });
  await tab.page.setViewportSize(DESK);
  assert.deepEqual(found, Object.fromEntries(LOOKS.map(([colorScheme, { width }]) => [`${colorScheme}-${width}`, []])), name);
}

const EMAIL = '/tool send_email {"to":"ada@example.com","subject":"Minutes of Monday","body":"Dear Ada,\\n\\nhere they are.","copies":{"to":["bob@example.com"]}}';

test("states: a chat begins, writes and waits", async () => {
  const tab = await Tab.open(await fresh(), embedded);
  await tab.at("try").first().waitFor();
  await state(tab, "01-welcome");
  await tab.say("/say ## Tables for Friday\n\n| When | Where |\n| --- | --- |\n| 18:30 | **Adlon** |\n| 20:00 | Borchardt |\n\n```js\nbook({ guests: 4 });\n```\n\nThe area is $$a^2$$");
  await tab.page.locator(".markdown table").waitFor();
  await tab.rest();
  await state(tab, "02-markdown");
  await tab.at("pick-files").setInputFiles([{ name: "minutes.txt", mimeType: "text/plain", buffer: Buffer.from("Monday") }]);
  await tab.at("file").waitFor();
  await tab.fill("composer", "Send this to Ada.");
  await state(tab, "03-attached");
  await tab.fill("composer", "");
  await tab.at("remove-file").click();
  await tab.say("/slow 5000 30");
  await tab.says("1 2 3");
  await state(tab, "04-streams");
  await tab.say("/say and then this");
  await tab.at("queued").waitFor();
  await state(tab, "05-queued");
  await tab.click("stop");
  await tab.says("and then this");
  await tab.say("/fail out of paper");
  await tab.at("error").waitFor();
  await state(tab, "06-failed");
});

test("states: a chat asks and is answered", async () => {
  const tab = await Tab.open(await fresh(), embedded);
  const asked = async (said, reason, count) => {
    await tab.say(said);
    return tab.asked(reason, count);
  };
  await asked("Send an email to ada@example.com", "tool_call");
  await state(tab, "07-call-asked");
  await tab.decide(tab.at("edit"));
  await tab.fill("edit /subject", "Dinner on Tuesday");
  await state(tab, "08-call-edited");
  await tab.decide(tab.at("approve-edited"));
  await tab.at("changes").waitFor();
  await tab.rest();
  await state(tab, "09-call-approved-with-edits");
  await asked(EMAIL, "tool_call");
  await tab.declines();
  await tab.fill("field-reason", "Send it to Bob alone.");
  await state(tab, "10-call-to-be-declined");
  await tab.decide(tab.at("decline"));
  await tab.says("have not sent the email");
  await state(tab, "10-call-declined");
  await asked("/confirm Deploy to production?", "confirmation");
  await state(tab, "11-confirmation");
  await tab.decide(tab.at("approve"));
  await tab.rest();
  await asked("Fill in a form with me", "input_required");
  await tab.click("submit-form");
  await tab.at("interrupt").getByRole("alert").first().waitFor();
  await state(tab, "12-form");
  await tab.decide(tab.at("cancel"));
  await tab.rest();
  const cards = await asked("Plan a dinner for four", "tool_call", 3);
  await state(tab, "13-several");
  for (const [i, way] of ["approve", "decline", "approve"].entries()) await tab.decide(cards.nth(i).getByTestId(way));
  await state(tab, "14-several-answered");
  await tab.decide(tab.at("submit-answers"));
  await tab.rest();
  await asked("/expire 1", "confirmation");
  await until(async () => (await tab.at("expiry").getAttribute("data-expired")) === "true", "it expires");
  await state(tab, "15-expired");
});

test("states: a chat beside others, and without a network", async () => {
  const context = await fresh();
  for (const said of ["/confirm Order the chairs?", "/say The chairs are blue."]) {
    const tab = await Tab.open(context, embedded);
    await tab.say(said);
    await tab.rest();
    await tab.page.close();
  }
  const tab = await Tab.open(context, embedded);
  tab.serverMayDie = true;
  await tab.say("/say Good morning.");
  await tab.rest();
  await tab.page.setViewportSize(POCKET);
  await tab.click("show-threads");
  await tab.at("thread").nth(2).waitFor();
  await state(tab, "16-chats");
  await tab.page.keyboard.press("Escape");
  await context.setOffline(true);
  await tab.page.evaluate(() => dispatchEvent(new Event("offline")));
  await tab.say("/say written in a tunnel");
  await tab.at("away").waitFor();
  await state(tab, "17-no-network");
  await context.setOffline(false);
});

test("states: signing in, and the inbox", async () => {
  const context = await fresh();
  const sign = await Tab.at(context, `${guarded}/inbox`, undefined, { serverMayRefuse: true, serverMayNotKnow: true });
  await sign.at("sign-in").waitFor();
  await state(sign, "18-sign-in");
  await signIn(sign, ANN);
  const asking = [];
  for (const to of ["ada", "bob", "eve"]) {
    const tab = await Tab.at(context, `${guarded}/?thread=${crypto.randomUUID()}`, undefined, { serverMayRefuse: true });
    await signIn(tab, ANN);
    await tab.connected();
    await tab.say(`Send an email to ${to}@example.com`);
    await tab.asked("tool_call");
    asking.push({ threadId: new URL(tab.page.url()).searchParams.get("thread") });
    await tab.page.close();
  }
  await sign.front();
  await sign.row(asking[2]).waitFor();
  await sign.pick(asking[0]);
  await sign.at("led-to").waitFor();
  await state(sign, "19-inbox");
  await sign.row(asking[0]).getByTestId("inbox-choose").check();
  await sign.row(asking[1]).getByTestId("inbox-choose").check();
  await sign.decide(sign.at("bulk-approve"));
  await sign.at("bulk-asks").waitFor();
  await state(sign, "20-inbox-several");
  await sign.decide(sign.at("bulk-send"));
  await sign.at("inbox-undo").waitFor();
  await sign.shot("state-21-inbox-can-be-undone-light-1280");
  await until(async () => (await sign.row(asking[0]).count()) + (await sign.row(asking[1]).count()) === 0, "both are answered");
  await sign.click("view-resolved");
  await sign.page.locator(`[data-testid="decided"][data-thread-id="${asking[0].threadId}"]`).waitFor();
  await state(sign, "22-decided");
});

test("states: the operator's view", async () => {
  const context = await fresh();
  const chat = await Tab.open(context, embedded);
  await chat.say(EMAIL);
  await chat.asked("tool_call");
  await chat.decide(chat.at("approve"));
  await chat.rest();
  await chat.page.close();
  const ops = await Tab.at(context, `${embedded}/ops`);
  await ops.at("health").waitFor();
  await state(ops, "23-operator");
  await ops.click("ops-runs");
  await ops.at("run-way").first().click();
  await ops.at("run-panel").waitFor();
  await state(ops, "24-run");
});
