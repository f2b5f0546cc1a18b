// What is told of large values, and asking for one.

import { describe, expect, it } from "vitest";
import { fetchPayload, isPayload, payloadIn, type Payload } from "../index";

const payload: Payload = {
  ref: `dA.${"0a".repeat(32)}`, url: `/v1/payloads/dA.${"0a".repeat(32)}`, mediaType: "text/csv", size: 5, digest: `sha256:${"0a".repeat(32)}`,
};
const part = { type: "document", source: { type: "url", value: payload.url }, metadata: { aguiws: { payload } } };

describe("payloadIn", () => {
  it("finds it behind its preview", () => expect(payloadIn([{ type: "text", text: "a,b" }, part])).toEqual(payload));
  it.each([
    ["text", "a text"],
    ["nothing", undefined],
    ["parts of others", [{ type: "document", source: { type: "url", value: "https://x.example/" } }, null, { metadata: "x" }]],
    ["what is none", [{ ...part, metadata: { aguiws: { payload: { ...payload, ref: "../threads" } } } }]],
  ])("finds none in %s", (_, content) => expect(payloadIn(content)).toBeUndefined());
  it("knows one in a state", () => expect([payload, {}, null, 1].map(isPayload)).toEqual([true, false, false, false]));
});

describe("fetchPayload", () => {
  const asked: Array<[string, RequestInit | undefined]> = [];
  const answers = (status: number, body: string) => async (url: string | URL | Request, init?: RequestInit) => {
    asked.push([String(url), init]);
    return new Response(body, { status });
  };

  it("asks with the credential, for what is wanted", async () => {
    const got = await fetchPayload(payload, { base: "https://agents.example/app", token: async () => "t", range: [2, 3], fetch: answers(206, "bc") });
    expect(await got.text()).toBe("bc");
    expect(asked.at(-1)?.[0]).toBe(`https://agents.example${payload.url}`);
    expect(asked.at(-1)?.[1]?.headers).toEqual({ Authorization: "Bearer t", Range: "bytes=2-3" });
  });

  it.each([
    [410, '{"code":"payload_expired","detail":"ask the agent"}', "payload_expired"],
    [416, "invalid range", "no_such_range"],
    [502, "<html>", "refused"],
  ])("says why it has none: %d", async (status, body, code) => {
    await expect(fetchPayload(payload.ref, { fetch: answers(status, body) })).rejects.toMatchObject({ name: "TransportError", code });
  });
});
