// The titles of chats, as lists have told them: not every list does.

import { learnNames } from "./runnames";
import { usePolled, type Page, type RunInfo, type ThreadInfo } from "../server/api";

const EVERY_MS = 60_000;

const MOST = 500;
const titles = new Map<string, string>();

export const titleOf = (threadId: string) => titles.get(threadId);

const learn = ({ threadId, title }: Pick<RunInfo, "threadId" | "title">) => {
  if (!title) return;
  if (titles.size >= MOST) titles.clear();
  titles.set(threadId, title);
};

/** Learns the titles of the caller's own latest chats, for lists that do not tell them. */
export function useTitles(): void {
  const { data } = usePolled<Page<ThreadInfo>>("/threads?limit=200", EVERY_MS);
  data?.items.forEach(learn);
}

/** The runs with the titles that are known of their chats. */
export function withTitles(runs: readonly RunInfo[]): RunInfo[] {
  runs.forEach(learn);
  learnNames(runs);
  return runs.map((run) => (run.title ? run : { ...run, title: titleOf(run.threadId) }));
}
