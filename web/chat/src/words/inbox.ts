import { table } from ".";
import { inbox as en } from "./en.inbox";

/** The words of the inbox: loaded when the language is known. */
export const inbox = table?.inbox ?? en;
