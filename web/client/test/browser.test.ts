// What a browser does not tell a page about its sockets.

import { describe, expect, it, vi } from "vitest";
import { Connection } from "../index";
import { Bench, recorded, settle } from "./fake";
import { outcomeOf, quietly } from "./scenes";

quietly();

describe("a browser", () => {
  const refused = (status: number, body: unknown) => vi.fn(async () => ({ status, json: async () => body }));

  it("tells a page nothing of a refused handshake: the server is asked why", async () => {
    const fetch = refused(401, { code: "unauthenticated", message: "a valid credential is needed" });
    const bench = new Bench({ fetch, token: "wrong" });
    const outcome = outcomeOf(bench.agent().runAgent());
    await settle();
    bench.socket.break();
    await settle(1);
    expect(fetch).toHaveBeenCalledWith("http://test/agui/capabilities", {
      headers: { Authorization: "Bearer wrong" }, credentials: "include", cache: "no-store",
    });
    expect(outcome.value).toMatchObject({ name: "TransportError", code: "unauthenticated", message: "a valid credential is needed" });
    await settle(60_000);
    expect(bench.sockets).toHaveLength(1);
  });

  it("lets a credential be renewed once before it gives up", async () => {
    const fetch = refused(401, { code: "unauthenticated", message: "no" });
    const token = vi.fn(async () => "x");
    const bench = new Bench({ fetch, token });
    const outcome = outcomeOf(bench.agent().runAgent());
    await settle();
    bench.socket.break();
    await settle(1_000);
    expect(bench.sockets).toHaveLength(2);
    expect(token).toHaveBeenCalledTimes(2);
    bench.socket.break();
    await settle(1);
    expect(outcome.value).toMatchObject({ code: "unauthenticated" });
  });

  it("goes on trying where the server is away, busy, or says nothing that it understands", async () => {
    for (const fetch of [
      vi.fn(() => Promise.reject(new Error("refused"))), refused(503, { code: "overloaded", message: "later" }),
      refused(404, "a proxy's page"), refused(200, {}),
    ]) {
      const bench = new Bench({ fetch });
      const outcome = outcomeOf(bench.agent().runAgent());
      await settle();
      bench.socket.break();
      await settle(5_000);
      expect(fetch).toHaveBeenCalledTimes(1);
      expect(outcome.value).toBe("pending");
      expect(bench.sockets).toHaveLength(2);
      bench.connection.close();
    }
  });

  it("resolves an address against the page, and speaks to http as to ws", async () => {
    vi.stubGlobal("location", { href: "https://app.example/chat?x=1" });
    const { sockets, WebSocket } = recorded();
    for (const url of ["/agui/ws", "http://127.0.0.1:8080/agui/ws", "wss://other.example/agui/ws"]) {
      const connection = new Connection({ url, WebSocket });
      connection.use();
      connection.close();
    }
    expect(sockets.map((socket) => socket.url)).toEqual(["wss://app.example/agui/ws", "ws://127.0.0.1:8080/agui/ws", "wss://other.example/agui/ws"]);
  });
});
