// In an application it is thread.tsx of examples/assistant-ui, or assistant-ui's own.

import type { ReactNode } from "react";

export const Thread: () => ReactNode;
