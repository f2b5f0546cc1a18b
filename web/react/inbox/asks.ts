import type { Interrupt } from "@ag-ui/client";
import type { InboxItem } from "../control/types.js";
import { aboutWhat, calledBy } from "../forms/wording.js";
import { visible } from "../lib/misleading.js";
import { ENGLISH, type Strings } from "../lib/strings.js";

/** The question of a thread that is next: the first that has no answer, or the first. */
export function nextOf({ interrupts }: Pick<InboxItem, "interrupts">): InboxItem["interrupts"][number] | undefined {
  return interrupts.find(({ draft }) => !draft) ?? interrupts[0];
}

/** What stands for a thread in a list: what it asks next, and how much else. */
export function rowWords(item: Pick<InboxItem, "interrupts" | "title" | "omitted">, strings: Strings = ENGLISH): string {
  const count = item.interrupts.length + (item.omitted ?? 0);
  const words = asksWords(item, strings);
  if (words !== "") return count > 1 ? strings.text.andMore(words, count - 1) : words;
  return visible(item.title || strings.list.untitled);
}

/** What a thread asks, on one line. */
export function asksWords(item: Pick<InboxItem, "interrupts">, strings?: Strings): string {
  const first = nextOf(item);
  return first ? aboutWhat(first.interrupt as unknown as Interrupt, calledBy(first.toolCall), strings) : "";
}
