// The titles of chats, as lists have told them: not every list does.

import { learnNames } from "./runnames";
import { usePolled, type Page, type RunInfo } from "../server/api";

const EVERY_MS = 60_000;

const MOST = 500;
const titles = new Map<string, string>();

type Chat = Pick<RunInfo, "namespace" | "threadId">;

/** Chats of two namespaces may have one id. */
const keyOf = ({ namespace, threadId }: Chat) => JSON.stringify([namespace, threadId]);

export const titleOf = (chat: Chat) => titles.get(keyOf(chat));

const learn = (run: RunInfo) => {
  if (!run.title) return;
  if (titles.size >= MOST) titles.clear();
  titles.set(keyOf(run), run.title);
};

/** Learns the titles of the chats of the caller's own dead letters, which the list of everybody's does not tell. */
export function useTitles(): void {
  const { data } = usePolled<Page<RunInfo>>("/runs?state=dead_letter&limit=200", EVERY_MS);
  data?.items.forEach(learn);
}

/** The runs with the titles that are known of their chats. */
export function withTitles(runs: readonly RunInfo[]): RunInfo[] {
  runs.forEach(learn);
  learnNames(runs);
  return runs.map((run) => (run.title ? run : { ...run, title: titleOf(run) }));
}
