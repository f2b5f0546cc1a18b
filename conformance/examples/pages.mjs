// Where the pages of the examples show things.

import { until } from "../frontends/lane.mjs";

const chat = { composer: ".composer textarea", send: ".composer button", assistant: ".assistant", user: ".user" };
const examples = {
  copilotkit: {
    composer: '[data-testid="copilot-chat-textarea"]',
    // One button, which stops while it shows a square.
    send: '[data-testid="copilot-send-button"]:not(:has(.lucide-square))',
    assistant: '[data-testid="copilot-assistant-message"]',
    user: '[data-testid="copilot-user-message"]',
    harmless: /Lit is in dev mode/,
  },
  "assistant-ui": chat,
  tanstack: chat,
};

export const name = process.env.AGUIWS_EXAMPLE;
export const hooks = examples[name];
export const questions = (tab) => tab.page.locator(".question");
export const asks = (tab, n) => until(async () => (await questions(tab).count()) === n, `${n} questions`);

/** The questions that take a decision. `<Decision>` takes none while it has only just come. */
export const ready = (tab) => tab.page.locator(name === "assistant-ui" ? ".guarded:not([aria-disabled]) .question" : ".question");
export const press = (tab, button) => ready(tab).first().getByRole("button", { name: button, exact: true }).click();
