// The text of JSON, piece by piece: for showing it without reading it into values, which would drop what a member
// named twice says first, put members in another order, and round numbers.

type Kind = "string" | "number" | "word" | "mark";

const SPACE = /\s/;
const NUMBER = /[-\d]/;
const END = /[\s,:[\]{}"]/;

/** Calls `token` with every piece of a text that is JSON. */
export function scan(text: string, token: (kind: Kind, raw: string) => void): void {
  for (let i = 0; i < text.length; ) {
    const char = text[i]!;
    if (char === '"') {
      const end = endOfString(text, i);
      token("string", text.slice(i, end));
      i = end;
    } else if (END.test(char)) {
      if (!SPACE.test(char)) token("mark", char);
      i++;
    } else {
      let end = i + 1;
      while (end < text.length && !END.test(text[end]!)) end++;
      token(NUMBER.test(char) ? "number" : "word", text.slice(i, end));
      i = end;
    }
  }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** JSON as people read it. */
export interface Printed {
  text: string;
  /** Members that an object names more than once: who reads it may take the first or the last. */
  twice: string[];
}

interface Level {
  /** The names so far, of an object. */
  names?: Set<string>;
  empty: boolean;
  /** What comes next is a name. */
  naming: boolean;
}

/**
 * The text with a line for each member: all of them, in their order, numbers byte for byte, strings as their characters.
 * Undefined where it is not JSON.
 */
export function printed(text: string): Printed | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const out: string[] = [];
  const twice = new Set<string>();
  const levels: Level[] = [];
  const line = () => out.push("\n", "  ".repeat(levels.length));
  const begin = () => {
    const level = levels.at(-1);
    // A member's value stands beside its name.
    if (!level || (level.names && !level.naming)) return;
    level.empty = false;
    line();
  };
  scan(text, (kind, raw) => {
    const level = levels.at(-1);
    switch (raw) {
      case "{":
      case "[":
        begin();
        out.push(raw);
        levels.push({ empty: true, naming: raw === "{", ...(raw === "{" && { names: new Set<string>() }) });
        return;
      case "}":
      case "]":
        levels.pop();
        if (!level!.empty) line();
        out.push(raw);
        return;
      case ",":
        out.push(",");
        if (level!.names) level!.naming = true;
        return;
      case ":":
        out.push(": ");
        level!.naming = false;
        return;
    }
    begin();
    if (kind !== "string") {
      out.push(raw);
      return;
    }
    const plain = !raw.includes("\\");
    const value = plain ? raw.slice(1, -1) : (JSON.parse(raw) as string);
    if (level?.naming && level.names) {
      if (level.names.has(value)) twice.add(value);
      level.names.add(value);
    }
    out.push(plain ? raw : JSON.stringify(value));
  });
  return { text: out.join(""), twice: [...twice] };
}
