// How a form asks for what its schema says, before anybody has touched it.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { questionOf } from "../forms/question";
import { allRequired, decided, drawn, rangeOf } from "../forms/formschema";
import { presentable, type Schema } from "../forms/schema";
import SchemaForm from "../forms/SchemaForm";
import { ENGLISH } from "../lib/strings";

const html = (schema: Schema, given?: unknown) => renderToStaticMarkup(createElement(SchemaForm, { schema: presentable(schema)!, given, locked: false, handle: null }));
const flights = ["LH 1", "LH 2", "LH 3"];
const many = Array.from({ length: 12 }, (_, i) => `gate ${i}`);
const titled = [{ const: "person", title: "A person" }, { const: "firm", title: "A firm" }];

describe("a choice", () => {
  it.each<[string, Schema]>([
    ["titled values", { oneOf: titled }],
    ["titled values of a type", { type: "string", oneOf: titled }],
    ["titled values by anyOf", { anyOf: titled }],
    ["a reference to titled values", { $ref: "#/$defs/kind" }],
    ["one or none", { anyOf: [{ $ref: "#/$defs/kind" }, { type: "null" }] }],
    ["values", { enum: ["A person", "A firm"] }],
  ])("of %s is made by nobody before somebody makes it", (_, kind) => {
    const schema = { type: "object", properties: { kind }, $defs: { kind: { oneOf: titled } } };
    for (const required of [[], ["kind"]]) {
      const form = html({ ...schema, required });
      expect(form).toMatch(/<option value="" selected="">Choose…<\/option>/);
      expect(form.match(/selected/g)).toHaveLength(1);
      expect(form).toContain(">A person</option>");
      expect(form.match(/<select/g)).toHaveLength(1);
    }
  });

  it("that was made, or that has a default, is shown", () => {
    expect(html({ type: "object", properties: { kind: { oneOf: titled } } }, { kind: "firm" })).toContain('selected="">A firm');
    expect(html({ type: "object", properties: { kind: { oneOf: titled, default: "firm" } } })).toContain('selected="">A firm');
  });

  it("of several is ticked", () => {
    for (const items of [{ enum: flights }, { oneOf: flights.map((value) => ({ const: value })) }, { $ref: "#/$defs/flight" }]) {
      const form = html({ type: "object", properties: { takes: { type: "array", items } }, $defs: { flight: { enum: flights } } }, { takes: ["LH 2"] });
      expect(form.match(/type="checkbox"/g)).toHaveLength(3);
      expect(form).toMatch(/checked=""[^>]*\/><span><bdi>LH 2/);
      expect(form).not.toContain("<select");
    }
  });

  it.each<[string, Schema, RegExp]>([
    ["many values", { type: "string", enum: many }, /<label for="root"[^>]*>.*Answer.*<select.*gate 11<\/option>/],
    ["many titled values", { title: "Gate", oneOf: many.map((value) => ({ const: value, title: value.toUpperCase() })) }, /Gate.*<select.*GATE 11<\/option>/],
    ["numbers", { type: "integer", enum: many.map((_, i) => i) }, /<select.*>11<\/option>/],
    ["a list of values", { type: "array", items: { enum: flights } }, /Answer.*role="group".*type="checkbox".*LH 3/],
  ])("that is all of an answer is a choice: %s", (_, responseSchema, shows) => {
    const question = questionOf({ id: "i", reason: "a:b", responseSchema });
    expect(question.kind).toBe("form");
    expect(html((question as { schema: Schema }).schema)).toMatch(shows);
  });

  it("of few values that is all of an answer is buttons", () => {
    expect(questionOf({ id: "i", reason: "a:b", responseSchema: { type: "string", enum: flights } })).toMatchObject({ kind: "choice", choices: flights.map((label) => ({ label, payload: label })) });
    expect(questionOf({ id: "i", reason: "a:b", responseSchema: { oneOf: titled } })).toMatchObject({ choices: [{ label: "A person", payload: "person" }, { label: "A firm", payload: "firm" }] });
  });
});

it("is left out where it is one of several kinds that nobody has chosen", () => {
  const contact = { oneOf: [{ properties: { by: { const: "mail" }, address: { type: "string" } }, required: ["by", "address"] }, { properties: { by: { const: "phone" }, number: { type: "string" } } }] };
  const schema: Schema = { type: "object", properties: { contact, name: { type: "string" } } };
  expect(decided(schema, { name: "Ann", contact: { by: "mail" } })).toEqual({ name: "Ann" });
  expect(decided(schema, { contact: { by: "mail", address: "ann@example.org" } })).toEqual({ contact: { by: "mail", address: "ann@example.org" } });
  expect(decided({ ...schema, required: ["contact"] }, { contact: { by: "mail" } })).toEqual({ contact: { by: "mail" } });
  expect(decided(schema, { contact: {} })).toEqual({ contact: {} });
  expect(decided({ type: "string" }, "x")).toBe("x");
});

it("costs no more than its schema where references make much of little", () => {
  const level = (i: number): Schema => ({ type: "object", properties: { a: { $ref: `#/$defs/l${i + 1}` }, b: { $ref: `#/$defs/l${i + 1}` } } });
  const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`l${i}`, i < 59 ? level(i) : { type: "string" }]));
  const schema: Schema = { type: "object", properties: { top: { $ref: "#/$defs/l0" } }, $defs };
  let members = 0;
  JSON.stringify(drawn(schema).ui, (_, value: unknown) => (members++, value));
  expect(members).toBeLessThan(5_000);
});

it("knows whether anything may be left out", () => {
  const text = { type: "string" };
  const all = { type: "object", properties: { a: text, b: text }, required: ["a", "b"] };
  expect(allRequired(all)).toBe(true);
  expect(allRequired({ ...all, required: ["a"] })).toBe(false);
  expect(allRequired({ ...all, properties: { a: text, b: { type: "object", properties: { c: text } } } })).toBe(false);
  const within = (b: Schema) => allRequired({ ...all, properties: { a: text, b } });
  expect([within({ enum: ["x"] }), within({ type: "object", properties: { c: text }, required: ["c"], additionalProperties: false })]).toEqual([true, true]);
  const some: Schema[] = [{ $ref: "#/$defs/b" }, { anyOf: [text] }, { oneOf: [text] }, { allOf: [all] }, { type: "array", items: text }, { type: "array" }, { type: "object", additionalProperties: true }, { type: "object", if: text }];
  expect(some.map(within)).toEqual(some.map(() => false));
  expect([allRequired({ ...all, additionalProperties: text }), allRequired({ ...all, anyOf: [all] })]).toEqual([false, false]);
});

it("says of a number what it may be before it is wrong", () => {
  const said = (schema: Schema, whole = false) => ENGLISH.form.number(whole, ...rangeOf(schema, "en"));
  expect([said({}), said({ minimum: 2000 }, true), said({ minimum: 0, maximum: 1.5 }), said({ maximum: 3, exclusiveMinimum: 0 }, true)]).toEqual([
    "A number, such as 12.5.",
    "A whole number, at least 2000.",
    "A number, such as 12.5, from 0 to 1.5.",
    "A whole number, at most 3.",
  ]);
});
