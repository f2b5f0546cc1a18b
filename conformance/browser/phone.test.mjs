// What opens, fails and asks on a phone, in both themes: it fits, and nothing stands in anybody's way.

import assert from "node:assert/strict";
import { ANN, barriers, embedded, guarded, person, PHONE, Tab, test, until } from "./lane.mjs";

for (const colorScheme of ["light", "dark"]) {
  test(`${colorScheme}: what opens, fails and asks can be read on a phone`, async () => {
    const context = await person({ colorScheme, viewport: { width: PHONE, height: 844 } });
    const found = {};
    const judge = async (tab, what) => {
      const width = await tab.page.evaluate(() => document.documentElement.scrollWidth);
      found[what] = await barriers(tab.page);
      const bar = await tab.page.locator(".bar").evaluate((element) => element.offsetHeight);
      if (bar > 56) found[what].push(`its head is ${bar} pixels high, more than one row`);
      const small = await tab.page.locator(".bar").evaluate((shown) =>
        [...shown.querySelectorAll(":scope > button, :scope > nav > a, :scope > details > summary")].filter((one) => one.offsetHeight > 0 && one.offsetHeight < 40).map((one) => `${one.textContent} is ${one.offsetHeight} pixels high`));
      found[what].push(...small);
      if (width > PHONE) found[what].push(`it is ${width} pixels wide`);
      const headings = await tab.page.getByRole("heading", { level: 1 }).count();
      if (headings !== 1) found[what].push(`it has ${headings} headings of the first level`);
      await tab.shot(`75-${what}-${colorScheme}`);
    };
    const tab = await Tab.open(context, embedded);
    const titled = (one, title) => until(async () => (await one.page.title()).replace(/^\(\d+\+?\) /, "") === title, `the title is ${title}`);
    await titled(tab, "Chat · aguiws");
    await tab.say("/form");
    await tab.asked("input_required");
    await tab.click("submit-form");
    await tab.at("interrupt").getByRole("alert").first().waitFor();
    await judge(tab, "form");
    await titled(tab, "/form · Chat · aguiws");
    await tab.click("cancel");
    await until(async () => (await tab.at("interrupt").count()) === 0, "it is cancelled");

    await tab.say('/tool send_a_very_long_tool_name_that_nobody_would_choose {"to":"somebody@an-address-that-is-long.example.com"}');
    await tab.asked("tool_call");
    await tab.decide(tab.at("edit"));
    await tab.at("arg-edits").waitFor();
    await judge(tab, "editing");
    await tab.say(`/fail ${"a_word_that_is_far_too_long_for_a_phone_".repeat(3)}`);
    await tab.at("error").waitFor();
    await tab.click("menu");
    await tab.click("developer");
    await tab.at("position").waitFor();
    await judge(tab, "error-and-connection");
    await tab.page.keyboard.press("Escape");

    await tab.say("/expire 1");
    await tab.page.locator('[data-testid="expiry"][data-expired="true"]').waitFor();
    await tab.click("menu");
    await tab.click("inspect");
    await tab.fill("frame-filter", "RUN_STARTED");
    await tab.at("frame").first().locator("summary").click();
    await tab.at("frame").first().locator("pre").waitFor();
    await judge(tab, "expired-and-inspector");

    const guest = await Tab.at(context, `${guarded}/inbox`, undefined, { serverMayRefuse: true });
    await guest.at("sign-in").waitFor();
    await guest.fill("token", "not-a-token-at-all");
    await guest.page.keyboard.press("Enter");
    await guest.at("sign-in").getByRole("alert").waitFor();
    await judge(guest, "sign-in");
    await titled(guest, "Sign in · aguiws");
    await guest.fill("token", ANN);
    await guest.page.keyboard.press("Enter");
    await guest.click("go-operator");
    // Nothing may have run at this server yet.
    await guest.at("counts").waitFor({ state: "attached" });
    await titled(guest, "Operator · aguiws");
    assert.deepEqual(found, Object.fromEntries(Object.keys(found).map((what) => [what, []])));
  });
}
