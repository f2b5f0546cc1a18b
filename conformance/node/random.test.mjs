// Sockets that are cut at random, under clients that work. AGUIWS_SEED repeats a run, AGUIWS_CUTS makes it longer.

import assert from "node:assert/strict";
import { approve, cancelled, Client, contents, effects, resolved, same, test, unique } from "./lane.mjs";

const CUTS = Number(process.env.AGUIWS_CUTS ?? 20);
const seed = Number(process.env.AGUIWS_SEED ?? Date.now() % 2 ** 31);

/** mulberry32: the same numbers for the same seed. */
function chance(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Cuts the client's sockets at random moments until the returned function is called. On a machine that is slower to
 * connect than this is to cut, nothing would ever come through: after many it is enough.
 */
function cutting(client, random) {
  let timer;
  const next = () => {
    timer = setTimeout(() => {
      client.cut();
      if (client.sockets.length < 3 * CUTS) next();
    }, 5 + random() ** 2 * 250);
  };
  next();
  return () => clearTimeout(timer);
}

for (const n of [0, 1, 2]) {
  test(`a client whose sockets are cut at random, seed ${seed + n}`, async () => {
    const random = chance(seed + n);
    const tool = unique("pay");
    const calm = await new Client(unique("random"), { server: 1 }).follow();
    const client = new Client(calm.agent.threadId);
    const tossed = await new Client(calm.agent.threadId, { server: n }).follow();
    const stop = [cutting(client, random), cutting(tossed, random)];
    const said = [];
    const paid = [];
    try {
      for (let i = 0; client.sockets.length <= CUTS; i++) {
        const text = [`/slow 25 8`, `/say act ${i}`, `/state {"act":${i}}`, `/tool ${tool} {"act":${i}}`][Math.floor(random() * 4)];
        said.push(text);
        await client.say(text);
        if (client.agent.pendingInterrupts.length === 0) continue;
        const answer = [approve, approve, resolved({ approved: false }), cancelled][Math.floor(random() * 4)];
        if (answer === approve) paid.push({ act: i });
        await client.answer(answer);
      }
    } finally {
      stop.forEach((call) => call());
    }
    const picture = await same(calm, client, tossed);
    assert.deepEqual(contents(picture, "user"), said);
    assert.deepEqual(await effects(tool), paid);
    });
}
