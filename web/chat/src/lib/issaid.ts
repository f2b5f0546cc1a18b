/** What tools, commands and fields are called by, and what is left of one. */
const IDENTIFIER = /^\/?[a-z_][\w.-]*$/;

/** Whether a name tells nothing beside what is asked: that begins with it, or it is an identifier. */
export const isSaid = (name: string, asks: string): boolean => asks !== "" && (IDENTIFIER.test(name) || asks.toLowerCase().startsWith(name.toLowerCase().replace(/…$/, "")));
