// What fields are called towards each other, and towards whoever reads them out.

import type { WidgetProps } from "@rjsf/utils";

/** The id of what is said of a field beside its label. */
export const more = (id: string) => `${id}-more`;
export const labelOfField = (id: string) => `${id}-label`;
/** The id of a form's outermost field. */
export const ROOT = "root";

/** What all fields have. */
export function commonOf({ id, name, disabled, readonly, required, rawErrors }: Pick<WidgetProps, "id" | "name" | "disabled" | "readonly" | "required" | "rawErrors">) {
  return {
    id,
    name,
    "data-testid": `field-${name || "answer"}`,
    disabled: disabled || readonly,
    "aria-required": required,
    "aria-invalid": (rawErrors?.length ?? 0) > 0,
    "aria-describedby": more(id),
  };
}
