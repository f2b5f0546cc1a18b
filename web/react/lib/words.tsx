import { createContext, type ReactNode, useContext } from "react";
import { ENGLISH, type Strings } from "./strings.js";

const StringsOf = createContext<Strings>(ENGLISH);

/** Gives the parts within it other words. A language spreads `ENGLISH` for what it leaves as it is. */
export function Words({ strings, children }: { strings: Strings; children: ReactNode }) {
  return <StringsOf.Provider value={strings}>{children}</StringsOf.Provider>;
}

/** The words of the place. */
export function useStrings(): Strings {
  return useContext(StringsOf);
}
