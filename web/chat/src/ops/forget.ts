// Which runs a server is to forget, and what it has, in words.

const WORDS: Record<string, string> = {
  "0s": "all runs that have ended",
  "24h": "runs that ended over a day ago",
  "168h": "runs that ended over a week ago",
};

/** How long ago a run has ended at least, as the server has it. */
export const AGES = Object.keys(WORDS);

export const ageWords = (age: string) => WORDS[age];

/** What the answer says. */
export function forgotten({ purged }: Record<string, unknown>): string {
  if (purged === 0) return "there was none to forget";
  return purged === 1 ? "one run is forgotten" : `${purged} runs are forgotten`;
}
