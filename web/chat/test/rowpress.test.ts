import { expect, it } from "vitest";
import { meansRow } from "../src/lib/rowpress";

it.each<[string, Element | null, boolean, boolean]>([
  ["is pressed by a click on a cell", null, true, true],
  ["is not pressed by a click on a button in it", {} as Element, true, false],
  ["is not pressed where the click ends a selection", null, false, false],
])("a row %s", (_, found, isCollapsed, want) => expect(meansRow({ closest: () => found }, { isCollapsed })).toBe(want));
