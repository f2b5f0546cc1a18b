// A form of a response schema's fields. The server checks what comes of it.

import type { AnswerProps } from "./questions";
import { valueOf, type Field } from "./schema";

export function Form({ fields, draft, onDraft, resolve }: AnswerProps & { fields: Field[] }) {
  const filledIn = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    resolve(Object.fromEntries(fields.map((field) => [field.name, valueOf(field, draft[field.name])]).filter(([, value]) => value !== undefined)));
  };
  return (
    <form onSubmit={filledIn}>
      {fields.map((field) => (
        <label key={field.name}>
          {field.title}
          <Input field={field} value={draft[field.name] ?? ""} onChange={(value) => onDraft({ ...draft, [field.name]: value })} />
        </label>
      ))}
      <button>Send</button>
    </form>
  );
}

function Input({ field, value, onChange }: { field: Field; value: string; onChange: (value: string) => void }) {
  const { type, required, options } = field;
  if (options) {
    return (
      <select required={required} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="" />
        {options.map((option) => <option key={option}>{option}</option>)}
      </select>
    );
  }
  if (type === "boolean") return <input type="checkbox" checked={value === "true"} onChange={(event) => onChange(String(event.target.checked))} />;
  const kind = type === "string" ? { type: "text" } : { type: "number", step: type === "integer" ? 1 : "any" };
  return <input {...kind} required={required} value={value} onChange={(event) => onChange(event.target.value)} />;
}
