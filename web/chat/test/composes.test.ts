import { expect, it } from "vitest";
import { composes } from "../src/lib/composes";

it.each([
  ["within a composition", { isComposing: true, keyCode: 13 }, true],
  ["that ends one, as Safari tells it", { isComposing: false, keyCode: 229 }, true],
  ["of its own", { isComposing: false, keyCode: 13 }, false],
])("a key %s", (_, key, want) => expect(composes(key)).toBe(want));
