import { type FormEvent, type ReactNode, useId, useState } from "react";
import { choiceLabel, initialDraft, readDraft, type Draft, type Field } from "./fields";

interface FormProps {
  fields: Field[];
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown, label: string) => void;
}

/** A form made of a schema. Nothing is sent before it reads as the schema says. */
export function FormBody({ fields, locked, abandon, resolve }: FormProps) {
  const [draft, setDraft] = useState<Draft>(() => initialDraft(fields));
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const reading = readDraft(fields, draft);
    if ("faults" in reading) {
      setWrong(reading.faults);
      const first = fields.find((field) => reading.faults[field.name] !== undefined);
      const input = first && (event.target as HTMLFormElement).elements.namedItem(first.name);
      if (input instanceof HTMLElement) input.focus();
      return;
    }
    setWrong({});
    resolve(reading.value, "Filled in");
  };
  return (
    <form className="form" noValidate onSubmit={submit}>
      <Fields fields={fields} draft={draft} wrong={wrong} locked={locked} change={setDraft} />
      <div className="actions">
        <button type="submit" className="primary" data-testid="submit-form" disabled={locked}>
          Send
        </button>
        {abandon}
      </div>
    </form>
  );
}

interface FieldsProps {
  fields: Field[];
  draft: Draft;
  /** What is wrong, by field name. */
  wrong: Record<string, string>;
  locked: boolean;
  change: (draft: Draft) => void;
}

export function Fields({ fields, draft, wrong, locked, change }: FieldsProps) {
  return fields.map((field) => (
    <FieldRow
      key={field.name}
      field={field}
      value={draft[field.name] ?? ""}
      fault={wrong[field.name]}
      locked={locked}
      change={(value) => change({ ...draft, [field.name]: value })}
    />
  ));
}

interface RowProps {
  field: Field;
  value: string;
  fault?: string;
  locked: boolean;
  change: (value: string) => void;
}

function FieldRow({ field, value, fault, locked, change }: RowProps) {
  const id = useId();
  const common = {
    id,
    name: field.name,
    "data-testid": `field-${field.name}`,
    value,
    disabled: locked,
    required: field.required,
    "aria-invalid": fault !== undefined,
    "aria-describedby": `${id}-more`,
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {field.label}
        {!field.required && <span className="hint"> (optional)</span>}
      </label>
      {field.kind === "choice" && (
        <select {...common}>
          <option value="">Choose…</option>
          {field.choices.map((choice, index) => (
            <option key={index} value={index}>
              {choiceLabel(choice)}
            </option>
          ))}
        </select>
      )}
      {field.kind === "number" && <input {...common} inputMode="decimal" autoComplete="off" />}
      {field.kind === "text" && <input {...common} type="text" autoComplete="off" />}
      {field.kind === "longtext" && <textarea {...common} rows={4} />}
      {field.kind === "json" && <textarea {...common} className="code" rows={3} spellCheck={false} placeholder="JSON" />}
      <span id={`${id}-more`}>
        {field.description && <span className="hint">{field.description}</span>}
        {fault && (
          <span className="fault" role="alert">
            {fault}
          </span>
        )}
      </span>
    </div>
  );
}
