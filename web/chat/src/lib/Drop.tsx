import type { DetailsHTMLAttributes, ReactNode } from "react";

interface Props extends Omit<DetailsHTMLAttributes<HTMLDetailsElement>, "onKeyDown" | "onBlur"> {
  className: string;
  /** What is pressed to see the rest. */
  summary: ReactNode;
}

/** A panel that hangs from what opens it, until Escape, or until the focus goes elsewhere. One that hangs in it closes first. */
export function Drop({ className, summary, children, ...rest }: Props) {
  return (
    <details
      {...rest}
      className={`drop ${className}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || !event.currentTarget.open) return;
        event.preventDefault();
        event.currentTarget.open = false;
        event.currentTarget.querySelector("summary")?.focus();
      }}
      onBlur={(event) => {
        // A question of the browser's own, such as one for permission, takes the focus from the whole page.
        if (document.hasFocus() && !event.currentTarget.contains(event.relatedTarget)) event.currentTarget.open = false;
      }}
    >
      {summary}
      {children}
    </details>
  );
}
