import { table } from ".";
import { inbox as en } from "./en.inbox";

/** The words of the inbox, which is loaded when the language is known. */
export const inbox = table?.inbox ?? en;
