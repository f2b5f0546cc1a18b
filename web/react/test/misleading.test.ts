// What would be read as something else is seen.

import { expect, it } from "vitest";
import { readJson } from "../forms/readjson";
import { stringify } from "../lib/json";
import { escaped, misleading, pieces, unescaped, visible } from "../lib/misleading";

it.each<[string, string, RegExp]>([
  ["an override", "eve-\u202e4321", /U\+202E right-to-left override/],
  ["an isolate", "a\u2066b\u2069", /U\+2066 left-to-right isolate; U\+2069 pop directional isolate/],
  ["a mark of direction", "a\u200fb", /U\+200F right-to-left mark/],
  ["a space without width", "pay\u200bpal\u200b", /2 × U\+200B zero width space/],
  ["a joiner where nothing joins", "pay\u200dpal", /U\+200D zero width joiner/],
  ["a byte order mark", "\ufeffpay", /U\+FEFF/],
  ["a tag", "pay\u{e0041}", /U\+E0041 invisible tag/],
  ["a filler", "a\u3164b", /U\+3164 Hangul filler/],
  ["a soft hyphen", "pay\u00adpal", /U\+00AD soft hyphen/],
  ["a control character", "a\u0008b\u009b", /U\+0008 control character; U\+009B control character/],
  ["a line separator", "a\u2028b", /U\+2028 line separator/],
  ["a space of another width", "a\u2003b", /U\+2003 a space/],
  ["a blank", "a\u2800b", /U\+2800/],
  ["private use", "a\ue000b", /U\+E000 no known character/],
  ["a variation of a letter", "a\ufe01b", /U\+FE01 variation selector/],
  ["Cyrillic in a Latin word", "send to р\u0430ypal", /“раypal” mixes Latin letters .* \(U\+0440 Cyrillic letter, U\+0430 Cyrillic letter\)/],
  ["Greek in a Latin word", "g\u03bf\u03bfgle", /mixes Latin/],
  ["Armenian in a Latin word", "\u0570ello", /mixes Latin/],
  ["a Cyrillic word that looks Latin", '{"to":"\u0430\u0440\u0440\u04cf\u0435"}', /looks Latin, and is Cyrillic/],
  ["letters of formulas", "\u{1d429}ay", /letters of formulas/],
  ["wide letters", "\uff50ay", /narrow and wide/],
])("sees %s", (_, text, said) => {
  expect(misleading(text).join("; ")).toMatch(said);
  const found = pieces(text);
  // What is copied is what is there.
  expect(found.map((piece) => piece.text).join("")).toBe(text);
  expect(found.some((piece) => piece.marks !== undefined)).toBe(true);
});

it.each<[string, string]>([
  ["Latin text", "Grüße, naïve Œuvre — “quoted” 12 €\n\tnext"],
  ["Arabic", "مرحبا بالعالم، 123"],
  ["Hebrew with points", "שָׁלוֹם עולם"],
  ["Persian with its joiners", "می\u200cخواهم"],
  ["Hindi with its joiners", "क्\u200dष क्\u200cष"],
  ["emoji sequences", "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ❤️ 1️⃣ 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 🇫🇷"],
  ["Russian, small words too", "он сказал: нос"],
  ["Greek", "Καλημέρα κόσμε"],
  ["Greek units", "5 kΩ, 3 μm, Δt"],
  ["Japanese", "ＡＢＣと漢字、カタカナ　終わり"],
  ["Chinese with variants", "葛\u{e0100}"],
  ["French spacing", "prix\u00a0: 1\u202f000"],
  ["Latin and Russian words side by side", "user Иванов"],
])("leaves %s alone", (_, text) => {
  expect(misleading(text)).toEqual([]);
  expect(pieces(text)).toEqual([{ text }]);
  expect(visible(text)).toBe(text);
  expect(escaped(stringify(text))).toBe(stringify(text));
});

it("writes out what cannot be marked, and JSON so that it stays the same", () => {
  expect(visible("eve-\u202e4321")).toBe("eve-[U+202E]4321");
  const json = stringify({ to: "eve-\u202e4321", "a\u200b": "\u{e0041}" });
  expect(escaped(json)).toBe('{"to":"eve-\\u202e4321","a\\u200b":"\\udb40\\udc41"}');
  expect(readJson(escaped(json))).toEqual(readJson(json));
  expect(misleading(unescaped(escaped(json)))).toEqual(misleading(json));
});

it("says no more than somebody reads", () => {
  const many = Array.from({ length: 40 }, (_, i) => `р${"abcdefghij"[i % 10]}${"klmn"[i % 4]}y${String.fromCodePoint(0x200b + (i % 4))}`).join(" ");
  expect(misleading(many).length).toBeLessThanOrEqual(7);
  expect(pieces(`a${"\u200b".repeat(100_000)}b`)).toHaveLength(3);
});
