// What the tests share: the target, the power to kill the gateways before it, and what it has done.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";

const PATIENCE_MS = 60_000;
const POLL_MS = 10;
const { AGUIWS_CONTROL, AGUIWS_EFFECTS, AGUIWS_EXPIRES, AGUIWS_IN_TURN, AGUIWS_STEPS, AGUIWS_STOPS, AGUIWS_TARGET, AGUIWS_URLS } = process.env;

export const target = AGUIWS_TARGET;

/** Of two mails it asks about one after the other, and not about both at once. */
export const inTurn = AGUIWS_IN_TURN === "true";

/** Its questions may have a time; when that is over, the run fails. */
export const expires = AGUIWS_EXPIRES === "true";

/** It takes several steps for one message. */
export const steps = AGUIWS_STEPS === "true";

/** It is stopped at a URL of its own, and not by whoever closes a request. */
export const stops = AGUIWS_STOPS === "true";

/** The gateways; they share a Redis. */
export const [a, b] = AGUIWS_URLS.split(",");

async function control(what) {
  const answer = await fetch(`${AGUIWS_CONTROL}/${what}`, { method: "POST" });
  assert.equal(answer.status, 200, await answer.clone().text());
}

/** kill -9, and start on the same port and Redis: of gateway 0 or 1. */
export const kill = (gateway) => control(`kill?server=${gateway}`);
export const restart = (gateway) => control(`restart?server=${gateway}`);

async function effects(tool) {
  const text = await readFile(AGUIWS_EFFECTS, "utf8").catch(() => "");
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter((line) => line.tool === tool);
}

/** How many mails have gone out to somebody of this name. */
export const sent = async (to) => (await sentTo(to)).length;

/** What has gone out to somebody of this name, each with what was sent. */
export const sentTo = async (to) => (await effects("send")).map(({ args }) => args).filter((args) => args.to === to);

/** How many steps were taken under the name. */
export const stepped = async (name) => (await effects("step")).filter(({ args }) => args.name === name).length;

/** How many clients have left the target before it had told them all. */
export const left = async () => (await effects("left")).length;

/** Polls a condition that other processes bring about. */
export async function until(holds, what) {
  for (const deadline = Date.now() + PATIENCE_MS; !(await holds()); ) {
    if (Date.now() > deadline) assert.fail(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A name that no other test has. */
export const someone = (name) => `${name}_${randomUUID().slice(0, 8)}`;
export const numbers = (n) => Array.from({ length: n }, (_, i) => `${i + 1}`).join(" ");
