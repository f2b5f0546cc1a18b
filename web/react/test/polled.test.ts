// What a part of the page shows before its server has answered.

import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Control } from "../control/control";
import { usePolled, type Kept, type News } from "../control/polled";

const shown = (news: News | undefined, path: string) => {
  const Part = () => String(usePolled<string>(new Control({ url: "" }), path, 1_000, news).data);
  return renderToStaticMarkup(createElement(Part));
};

it("shows what was answered last at once where that is kept, and nothing else", () => {
  const kept = new Map<string, Kept>([["/threads", { data: "the chats" }]]);
  const news = { live: () => true, watch: () => () => {} };
  expect([shown({ ...news, kept }, "/threads"), shown({ ...news, kept }, "/runs"), shown(news, "/threads"), shown(undefined, "/threads")]).toEqual(["the chats", "undefined", "undefined", "undefined"]);
});
