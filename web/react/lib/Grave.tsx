import type { ReactNode } from "react";
import { Icon } from "./Icon.js";
import { useStrings } from "./words.js";

/** That what a yes leads to cannot be undone. */
export function Grave({ children }: { children?: ReactNode }) {
  const { destructive } = useStrings().decision;
  return (
    <span className="grave" data-testid="destructive">
      <Icon name="alert" />
      <strong>{destructive}</strong>
      {children}
    </span>
  );
}
