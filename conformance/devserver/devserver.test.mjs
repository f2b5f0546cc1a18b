// A page that Vite's dev server serves uses the server directly and through Vite's proxy; pages of other sites do not.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const PATIENCE_MS = 60_000;
const POLL_MS = 10;
const { AGUIWS_ALLOWED, AGUIWS_APP, AGUIWS_BROWSER, AGUIWS_GUARDED, AGUIWS_LOGS, AGUIWS_NAMED, AGUIWS_OPEN, AGUIWS_TOKEN } = process.env;

const web = fileURLToPath(new URL("../../web/", import.meta.url));
const from = (folder) => createRequire(pathToFileURL(path.join(folder, "package.json")));
const { createServer, mergeConfig, version: viteVersion } = await import(pathToFileURL(path.join(web, "node_modules/vite/dist/node/index.js")));
const { chromium } = from(fileURLToPath(new URL("../frontends/", import.meta.url)))("playwright-core");
const packed = await readFile(path.join(web, "node_modules/@ag-ui/client/package.json"), "utf8");
const vite = `vite ${viteVersion}, @ag-ui/client ${JSON.parse(packed).version}`;

let browser;
let context;
const closing = [];

// Everything is on 127.0.0.1: who has a port of [::1] may be somebody else.
before(async () => {
  browser = await chromium.launch({
    executablePath: AGUIWS_BROWSER,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP *.example 127.0.0.1,MAP localhost 127.0.0.1",
    ],
  });
});
after(async () => {
  await browser?.close();
  for (const close of closing) await close();
});
afterEach(async () => {
  await context?.close();
  context = undefined;
});

const servers = new Map();

/** Vite's dev server on a port of its own, with one of the configurations in app/, before one of the servers. */
async function devServer(config, server) {
  const key = `${config} ${server}`;
  if (!servers.has(key)) {
    const text = await readFile(path.join(AGUIWS_APP, `${config}.config.js`), "utf8");
    const shown = await import(`data:text/javascript,${encodeURIComponent(text.replaceAll("127.0.0.1:8080", server))}`);
    const started = await createServer(
      mergeConfig(shown.default, {
        configFile: false,
        root: AGUIWS_APP,
        logLevel: "error",
        cacheDir: path.join(AGUIWS_APP, "cache"),
        resolve: { alias: { "@aguiws/client": path.join(web, "client/index.ts") }, dedupe: ["@ag-ui/client", "rxjs"] },
        optimizeDeps: { include: ["@ag-ui/client", "rxjs"], noDiscovery: true },
        server: { host: "127.0.0.1", port: 5173, fs: { allow: [AGUIWS_APP, web] } },
      }),
    );
    await started.listen();
    closing.push(() => started.close());
    servers.set(key, `http://localhost:${new URL(started.resolvedUrls.local[0]).port}/`);
  }
  return servers.get(key);
}

/** A tab on an address. */
async function tab(url) {
  context ??= await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** A tab on the application. */
async function application(url) {
  const page = await tab(url);
  await page.waitForFunction("window.chat");
  return page;
}

async function chats(page, kind, url, token) {
  assert.deepEqual(
    await page.evaluate((about) => window.chat(about), { kind, url, token }),
    { said: ["hello", "Confirmed."], asked: ["Book it?"] },
  );
}

/** What becomes of a POST, as the page sees it. */
const post = (page, url, init) =>
  page.evaluate(
    ([url, init]) => fetch(url, init).then(async (answer) => ({ status: answer.status, body: await answer.text() }), (error) => ({ status: 0, body: String(error) })),
    [url, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}", ...init }],
  );

/** The code with which a socket that does not open is closed, as the page sees it. */
const socket = (page, url) =>
  page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const opened = new WebSocket(url, ["agui.v1.json"]);
        opened.onopen = () => resolve("open");
        opened.onclose = ({ code }) => resolve(code);
      }),
    url,
  );

/** The server's log comes to have a line with all of these. */
async function logs(server, ...parts) {
  let text = "";
  const has = () => text.split("\n").find((line) => parts.every((part) => line.includes(part)));
  for (const deadline = Date.now() + PATIENCE_MS; !has(); ) {
    if (Date.now() > deadline) throw new Error(`no line of the log of ${server} has ${parts}:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    text = await (await fetch(`${AGUIWS_LOGS}/${server}`)).text();
  }
  return has();
}

const originOf = (url) => new URL(url).origin;
const absolute = (server) => ({ HttpAgent: `http://${server}/agui`, WebSocketAgent: `ws://${server}/agui/ws` });
const relative = { HttpAgent: "/agui", WebSocketAgent: "/agui/ws" };

for (const kind of ["HttpAgent", "WebSocketAgent"]) {
  test(`${vite}: ${kind} chats, is asked and answers, directly`, async () => {
    const page = await application(await devServer("direct"));
    await chats(page, kind, absolute(AGUIWS_OPEN)[kind]);
    await chats(page, kind, absolute(AGUIWS_OPEN.replace("127.0.0.1", "localhost"))[kind]);
    await chats(page, kind, absolute(AGUIWS_ALLOWED)[kind], AGUIWS_TOKEN);
  });

  test(`${vite}: ${kind} chats, is asked and answers, through the proxy`, async () => {
    await chats(await application(await devServer("proxy", AGUIWS_OPEN)), kind, relative[kind]);
    await chats(await application(await devServer("proxy", AGUIWS_GUARDED)), kind, relative[kind], AGUIWS_TOKEN);
  });

  test(`${vite}: ${kind} chats, is asked and answers, through the proxy in its short form`, async () => {
    await chats(await application(await devServer("shorthand", AGUIWS_OPEN)), kind, relative[kind]);
    await chats(await application(await devServer("shorthand", AGUIWS_ALLOWED)), kind, relative[kind], AGUIWS_TOKEN);
  });
}

test(`${vite}: where users are authenticated, a page of another port is refused, and the log has the setting`, async () => {
  const url = await devServer("direct");
  const page = await application(url);
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  assert.equal((await post(page, absolute(AGUIWS_GUARDED).HttpAgent)).status, 0);
  assert.equal(await socket(page, absolute(AGUIWS_GUARDED).WebSocketAgent), 1006);
  await logs("guarded", "level=WARN", `origin=${originOf(url)}`, `setting="--origins ${originOf(url)}"`);
  assert.ok(complaints.some((text) => /CORS/.test(text)), "the browser says why");
});

test(`${vite}: where other origins are named, a page of another port is refused`, async () => {
  const url = await devServer("direct");
  const page = await application(url);
  assert.equal((await post(page, absolute(AGUIWS_NAMED).HttpAgent)).status, 0);
  assert.equal(await socket(page, absolute(AGUIWS_NAMED).WebSocketAgent), 1006);
  await logs("named", `origin=${originOf(url)}`, `setting="--origins https://app.example,${originOf(url)}"`);
});

test(`${vite}: what the proxy's short form does is said to the developer`, async () => {
  const url = await devServer("shorthand", AGUIWS_GUARDED);
  const page = await application(url);
  assert.equal(await socket(page, url.replace("http", "ws") + "agui/ws"), 1006);
  const { status, body } = await post(page, "/agui");
  assert.equal(status, 403);
  assert.match(body, /origin_not_allowed.*--origins.*changeOrigin: false/);
  // A browser does not say of a socket that it is of the page's own origin.
  await logs("guarded", `origin=${originOf(url)}`, `host=${AGUIWS_GUARDED}`, "changeOrigin: false");
});

/** A page of another site: name is not one of this machine's, though it resolves to it. */
async function site(name) {
  const server = createHttpServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<title>another site</title>"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${name}.example:${server.address().port}/`;
}

test("a page of another site gets nothing, directly", async () => {
  const url = await site("direct");
  const page = await tab(url);
  const { HttpAgent, WebSocketAgent } = absolute(AGUIWS_OPEN);
  assert.equal((await post(page, HttpAgent)).status, 0);
  await logs("open", `origin=${originOf(url)}`);
  assert.equal(await socket(page, WebSocketAgent), 1006);
  // Without a preflight the request comes through, but not its answer.
  assert.equal((await post(page, HttpAgent, { mode: "no-cors", headers: { "Content-Type": "text/plain" } })).status, 0);
});

test("a page of another site that rebinds its name gets nothing", async () => {
  const rebound = `rebound.example:${AGUIWS_OPEN.split(":")[1]}`;
  const page = await tab(`http://${rebound}/`);
  const { status, body } = await post(page, "/agui");
  assert.equal(status, 403);
  assert.match(body, /host_not_allowed/);
  assert.equal(await socket(page, `ws://${rebound}/agui/ws`), 1006);
});

test(`${vite}: a page of another site gets nothing through the proxy in its short form`, async () => {
  const dev = await devServer("shorthand", AGUIWS_OPEN);
  const url = await site("proxied");
  const page = await tab(url);
  assert.equal((await post(page, `${dev}agui`, { mode: "no-cors", headers: { "Content-Type": "text/plain" } })).status, 0);
  await logs("open", `origin=${originOf(url)}`);
  assert.equal(await socket(page, `${dev.replace("http", "ws")}agui/ws`), 1006);
  // Rebound it is Vite that refuses the name: of the Host the server sees nothing.
  const rebound = await tab(dev.replace("localhost", "rebound.example"));
  assert.equal((await post(rebound, "/agui")).status, 403);
});
