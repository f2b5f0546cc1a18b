import { table } from ".";
import { apart as en } from "./en.apart";

/** The words of what the chat loads later. They are loaded when the language is known. */
export const apart = table?.apart ?? en;
