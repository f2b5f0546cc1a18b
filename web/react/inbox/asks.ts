import type { Interrupt } from "@ag-ui/client";
import type { InboxItem } from "../control/types.js";
import { aboutWhat, calledBy } from "../forms/wording.js";
import type { Strings } from "../lib/strings.js";

/** What a thread asks, on one line. */
export function asksWords({ interrupts }: Pick<InboxItem, "interrupts">, strings?: Strings): string {
  const [first] = interrupts;
  return first ? aboutWhat(first.interrupt as unknown as Interrupt, calledBy(first.toolCall), strings) : "";
}
