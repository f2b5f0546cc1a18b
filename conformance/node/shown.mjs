// What tests have shown of published clients, for the table in conformance/CLIENTS.md.

import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";

/** The version of a package that is installed in a lane's folder. */
export function versionOf(name, folder = import.meta.dirname) {
  return JSON.parse(readFileSync(path.join(folder, "node_modules", name, "package.json"), "utf8")).version;
}

/**
 * Makes of `test` one that says what it has shown when it is through. `row` is who was tried: client, version, way and lane.
 * `features` has, by feature, the name of its test or, where there is more to say than that it works, the name and that:
 * "with …" or "cannot: …". Nothing is said unless AGUIWS_SHOWN names a file.
 */
export function showing(test, row, features) {
  const by = new Map(Object.entries(features).map(([feature, told]) => {
    const [name, shows = "works"] = [told].flat();
    return [name, { ...row, feature, shows }];
  }));
  return (name, body) => test(name, async (...context) => {
    await body(...context);
    const shown = by.get(name);
    const file = process.env.AGUIWS_SHOWN;
    if (shown && file) appendFileSync(file, JSON.stringify(shown) + "\n");
  });
}
