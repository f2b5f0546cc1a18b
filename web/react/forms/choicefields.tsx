// Fields that take values of a list.

import type { WidgetProps } from "@rjsf/utils";
import { commonOf, labelOfField } from "./fieldnames.js";
import { stringify } from "../lib/json.js";
import { Misleading } from "../lib/Marked.js";
import { visible } from "../lib/misleading.js";
import { useStrings } from "../lib/words.js";

/** One of some values, or with `multiple` a list of them. */
export function SelectWidget(props: WidgetProps) {
  const { choose } = useStrings().form;
  const { options, value, onChange, multiple } = props;
  const choices = options.enumOptions ?? [];
  const isChosen = (choice: unknown) => stringify(choice) === stringify(value);
  if (multiple) return <Checkboxes {...props} />;
  const index = choices.findIndex((choice) => isChosen(choice.value));
  return (
    <>
      <select
        {...commonOf(props)}
        value={index < 0 ? "" : String(index)}
        onChange={(event) => onChange(event.target.value === "" ? options.emptyValue : choices[Number(event.target.value)]!.value)}
      >
        <option value="">{choose}</option>
        <Options choices={choices} />
      </select>
      <Misleading text={choices.map(labelOf).join("\n")} />
    </>
  );
}

/** Some of the choices, each ticked or not. */
function Checkboxes(props: WidgetProps) {
  const { atMost } = useStrings().form;
  const { options, value, onChange, id, schema } = props;
  const choices = options.enumOptions ?? [];
  const chosen = Array.isArray(value) ? value.map((one) => stringify(one)) : [];
  const { disabled, "aria-invalid": invalid, ...common } = commonOf(props);
  const tick = (text: string, ticked: boolean) => {
    const now = choices.filter((choice) => (stringify(choice.value) === text ? ticked : chosen.includes(stringify(choice.value))));
    // Nothing chosen is nothing said, unless somebody has to say something.
    onChange(now.length > 0 || props.required ? now.map((choice) => choice.value) : options.emptyValue);
  };
  return (
    <div {...common} className="checks" role="group" aria-required={undefined} aria-labelledby={labelOfField(id)}>
      {choices.map((choice, index) => {
        const text = stringify(choice.value);
        return (
          <label key={index} className="check">
            <input type="checkbox" checked={chosen.includes(text)} disabled={disabled} aria-invalid={invalid} onChange={(event) => tick(text, event.target.checked)} />
            <span>
              <bdi>{visible(labelOf(choice))}</bdi>
            </span>
          </label>
        );
      })}
      <Misleading text={choices.map(labelOf).join("\n")} />
      {typeof schema.maxItems === "number" && schema.maxItems < choices.length && <span className="hint">{atMost(schema.maxItems)}</span>}
    </div>
  );
}

interface Choice {
  value: unknown;
  label: string;
}

function labelOf({ value, label }: Choice): string {
  return typeof value === "object" && value !== null ? stringify(value) : label;
}

function Options({ choices }: { choices: Choice[] }) {
  return choices.map((choice, index) => (
    <option key={index} value={index}>
      {visible(labelOf(choice))}
    </option>
  ));
}
