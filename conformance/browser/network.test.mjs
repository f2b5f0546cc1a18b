// The network goes away and comes back, and the servers know nothing of it.

import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { a, numbers, person, same, Tab, test, until } from "./lane.mjs";

/** How long the network is gone. */
const GONE_MS = 5_000;

/** A way to a server that can be cut: every connection at once, and every new one as it comes. */
async function way(server) {
  const { hostname, port } = new URL(server);
  const ends = new Set();
  let down = false;
  const listener = net.createServer((near) => {
    if (down) {
      near.destroy();
      return;
    }
    const far = net.connect(Number(port), hostname);
    for (const [one, other] of [[near, far], [far, near]]) {
      ends.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        ends.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const cut = () => {
    down = true;
    for (const end of ends) end.destroy();
  };
  return {
    url: `http://127.0.0.1:${listener.address().port}`,
    cut,
    mend: () => (down = false),
    close: () => {
      cut();
      listener.close();
    },
  };
}

test("the network is gone for five seconds in mid-stream, and nothing is lost or doubled", async () => {
  const network = await way(a);
  try {
    const context = await person({ viewport: { width: 1280, height: 900 } });
    const tab = await Tab.open(context, network.url);
    tab.serverMayDie = tab.serverMayRefuse = true;
    const other = await Tab.open(await person(), a, tab.threadId);
    // The list hears that the person's session is gone, until they are in again.
    const LIST = "**/v1/threads?*";
    await context.route(LIST, (route) => route.fulfill({ status: 401, json: { code: "unauthenticated", detail: "a valid credential is needed" } }));
    const refused = async () => /valid credential/.test(await tab.at("thread-list").innerText());
    await tab.say("/slow 120 60");
    await until(refused, "the list says that it is refused");
    await tab.says(" 10 ");
    const gone = Date.now();
    network.cut();
    await context.setOffline(true);
    await until(async () => (await tab.at("status").getAttribute("data-state")) !== "connected", "the tab has noticed");
    await tab.say("/say written without a network");
    await until(async () => (await tab.page.textContent("main")).includes("written without a network"), "what is written is shown");
    await tab.at("away").waitFor();
    // By now what had come is shown.
    const told = async () => (await tab.seen()).messages.find((message) => message.role === "assistant").text.trim();
    const before = await told();
    await tab.shot("70-without-network");
    await other.says(" 60 ");
    await until(() => Date.now() - gone >= GONE_MS, "the network was gone for long enough");
    assert.equal(await told(), before, "nothing comes without a network");
    await context.unroute(LIST);
    network.mend();
    await context.setOffline(false);
    await tab.connected();
    await until(async () => !(await refused()), "the list is asked for again");
    await until(async () => (await tab.at("away").count()) === 0, "nothing is said of it any more");
    await tab.says("written without a network");
    const seen = await same(tab, other);
    assert.deepEqual(seen.messages.map(({ role, text }) => [role, text.trim()]), [
      ["user", "/slow 120 60"],
      ["assistant", numbers(120)],
      ["user", "/say written without a network"],
      ["assistant", "written without a network"],
    ]);
    await tab.shot("71-network-back");
  } finally {
    network.close();
  }
});
