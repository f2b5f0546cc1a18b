// Which files an agent takes, and whether some are among them.

import type { AgentCapabilities } from "@ag-ui/client";

/** What an agent declares that it takes. What it does not declare it may take all the same, and nobody is offered that. */
export type Takes = NonNullable<NonNullable<AgentCapabilities["multimodal"]>["input"]>;

const KINDS = ["image", "audio", "video", "pdf", "file"] as const;

/** Those that it takes, in this order. */
export function takenOf(takes: Takes | undefined): ReadonlyArray<(typeof KINDS)[number]> {
  return KINDS.filter((kind) => takes?.[kind] === true);
}
