import { table } from ".";
import { ops as en } from "./en.ops";

/** The words of the operator's view: loaded when the language is known. */
export const ops = table?.ops ?? en;
