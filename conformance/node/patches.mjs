// Holds the cases of protocol/jsonpatch/testdata/patches.txt to the library that the published clients apply patches with, used
// as they use it. node patches.mjs FILE
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import jsonpatch from "fast-json-patch";

let cases = 0;
for (const line of readFileSync(process.argv[2], "utf8").split("\n")) {
  if (line === "" || line.startsWith("#")) continue;
  const [doc, ops, ...want] = JSON.parse(line);
  let got = [];
  try {
    got = [jsonpatch.applyPatch(doc, ops, true, false).newDocument];
  } catch {}
  if (!isDeepStrictEqual(got, want)) {
    console.error(`${line}: the clients have ${got.length === 0 ? "refused" : JSON.stringify(got[0])}`);
    process.exitCode = 1;
  }
  cases++;
}
if (cases === 0) throw new Error("no cases");
