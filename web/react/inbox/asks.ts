import type { Interrupt } from "@ag-ui/client";
import type { InboxItem } from "../control/types.js";
import { aboutWhat, calledBy } from "../forms/wording.js";
import type { Strings } from "../lib/strings.js";

/** The question of a thread that is next: the first that has no answer, or the first. */
export function nextOf({ interrupts }: Pick<InboxItem, "interrupts">): InboxItem["interrupts"][number] | undefined {
  return interrupts.find(({ draft }) => !draft) ?? interrupts[0];
}

/** What a thread asks, on one line. */
export function asksWords(item: Pick<InboxItem, "interrupts">, strings?: Strings): string {
  const first = nextOf(item);
  return first ? aboutWhat(first.interrupt as unknown as Interrupt, calledBy(first.toolCall), strings) : "";
}
