// Looking for chats among those that are loaded.

import type { ThreadInfo } from "../server/api";

/** Those whose title has all of the words, in any order and case, or whose id begins with what is looked for. */
export function searchThreads(threads: readonly ThreadInfo[], wanted: string): readonly ThreadInfo[] {
  const words = plain(wanted).split(/\s+/).filter(Boolean);
  if (words.length === 0) return threads;
  const id = wanted.trim().toLowerCase();
  return threads.filter(({ title, threadId }) => threadId.toLowerCase().startsWith(id) || words.every((word) => plain(title).includes(word)));
}

/** Without case and accents, so that "Zurich" finds "Zürich". */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
