import { type ReactNode, useId, useState } from "react";
import { isObject, propertiesOf, type Schema } from "../forms/schema.js";
import { numberFor, numberIn } from "../lib/decimal.js";
import { isNumeric, numberOf, parse, stringify, textOfNumber } from "../lib/json.js";
import { Marked, Misleading } from "../lib/Marked.js";
import { escaped } from "../lib/misleading.js";
import { labelsOf } from "../lib/naming.js";
import { ReadAs } from "../lib/ReadAs.js";
import type { Strings } from "../lib/strings.js";
import { useStrings } from "../lib/words.js";
import { argFields, type ArgField } from "./argparts.js";

/** A text that is longer has several lines, in characters. */
const LINE = 80;

/** The most lines that a field begins with. */
const LINES = 12;

interface Edits {
  locked: boolean;
  /** Puts another value where one was. */
  change: (value: unknown) => void;
  /** Hears whether what is typed here can be read. */
  reads: (place: string, readable: boolean) => void;
}

interface FieldProps extends Edits {
  value: unknown;
  label: string;
  /** Where it is, as a JSON pointer. */
  place: string;
  schema: Schema | undefined;
  autoFocus?: boolean;
}

/** Whether arguments are edited as fields: an object that is not too large to be drawn, and names nothing twice. */
export function hasFields(text: string, { decision }: Strings): boolean {
  const fields = argFields(text, undefined, decision.parts);
  return fields !== undefined && fields.length > 0 && fields.every(drawn);
}

function drawn({ kind, fields = [] }: ArgField): boolean {
  return kind !== "json" && fields.every(drawn);
}

/** The arguments of a call, each value in a field of its type. */
export function ArgEdits({ value, schema, locked, change, reads }: Omit<Edits, "change"> & { value: Record<string, unknown>; schema: Schema | undefined; change: (text: string) => void }) {
  return (
    <div className="form arg-edits" data-testid="arg-edits" role="group" aria-label={useStrings().answer.arguments}>
      <Members value={value} schema={schema} place="" locked={locked} reads={reads} autoFocus change={(now) => change(escaped(stringify(now, 2)))} />
    </div>
  );
}

function Members({ value, schema, place, change, autoFocus, ...more }: Omit<FieldProps, "value" | "label"> & { value: Record<string, unknown> }) {
  const properties = schema ? propertiesOf(schema) : {};
  const of = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const names = Object.keys(value);
  const labels = labelsOf(names, (name) => of(name)?.title);
  return names.map((name, i) => (
    <Field
      key={name}
      {...more}
      value={value[name]}
      label={labels[i]!}
      place={`${place}/${name}`}
      schema={of(name)}
      autoFocus={autoFocus && i === 0}
      // A member may have any name.
      change={(now) => change(Object.fromEntries(names.map((one) => [one, one === name ? now : value[one]])))}
    />
  ));
}

function Field(props: FieldProps) {
  const { value, label, place, schema } = props;
  if (Array.isArray(value) && value.length > 0) return <Items {...props} value={value} />;
  if (isObject(value) && Object.keys(value).length > 0) {
    return (
      <details className="arg-parts" data-testid={`edit ${place}`}>
        <summary>
          <bdi>
            <Marked text={label} />
          </bdi>
        </summary>
        <div className="form">
          <Members {...props} value={value} />
        </div>
      </details>
    );
  }
  const choices: unknown = schema?.enum;
  if (Array.isArray(choices) && choices.some((one) => stringify(one) === stringify(value))) return <Choice {...props} choices={choices} />;
  if (typeof value === "string") return <Text {...props} value={value} />;
  if (typeof value === "boolean") return <Flag {...props} value={value} />;
  return isNumeric(value) ? <Written {...props} read={readNumber} code={false} /> : <Written {...props} read={readAny} code />;
}

/** A label with what it is for; `field` gets its id. */
function Labelled({ label, schema, field }: { label: string; schema: Schema | undefined; field: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        <bdi>
          <Marked text={label} />
        </bdi>
      </label>
      {field(id)}
      {typeof schema?.description === "string" && (
        <span className="hint">
          <Marked text={schema.description} />
        </span>
      )}
    </div>
  );
}

function Text({ value, label, place, schema, locked, autoFocus, change }: FieldProps & { value: string }) {
  // It does not turn into another under the hands of whoever writes.
  const [lines] = useState(() => (value.length > LINE || value.includes("\n") || (typeof schema?.maxLength === "number" && schema.maxLength > 200) ? Math.min(LINES, value.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / LINE), 0) + 1) : 1));
  const common = { "data-testid": `edit ${place}`, dir: "auto", disabled: locked, autoFocus, value } as const;
  return (
    <Labelled
      label={label}
      schema={schema}
      field={(id) => (
        <>
          {lines > 1 ? (
            <textarea id={id} rows={lines} {...common} onChange={(event) => change(event.target.value)} />
          ) : (
            <input id={id} type="text" autoComplete="off" {...common} onChange={(event) => change(event.target.value)} />
          )}
          <Misleading text={value} />
        </>
      )}
    />
  );
}

function Flag({ value, label, place, locked, autoFocus, change }: FieldProps & { value: boolean }) {
  return (
    <label className="check">
      <input type="checkbox" data-testid={`edit ${place}`} checked={value} disabled={locked} autoFocus={autoFocus} onChange={(event) => change(event.target.checked)} />
      <bdi>
        <Marked text={label} />
      </bdi>
    </label>
  );
}

function Choice({ value, label, place, schema, locked, autoFocus, choices, change }: FieldProps & { choices: readonly unknown[] }) {
  return (
    <Labelled
      label={label}
      schema={schema}
      field={(id) => (
        <select id={id} data-testid={`edit ${place}`} disabled={locked} autoFocus={autoFocus} value={choices.findIndex((one) => stringify(one) === stringify(value))} onChange={(event) => change(choices[Number(event.target.value)])}>
          {choices.map((one, i) => (
            <option key={i} value={i}>
              {typeof one === "string" ? one : stringify(one)}
            </option>
          ))}
        </select>
      )}
    />
  );
}

function readNumber(text: string, locale: string): { value: unknown } | undefined {
  const read = numberIn(text, locale);
  return read === undefined ? undefined : { value: numberOf(read) };
}

function readAny(text: string): { value: unknown } | undefined {
  try {
    return { value: parse(text) };
  } catch {
    return undefined;
  }
}

/** What is read while it is typed. As long as it cannot be, the last that could stays, and nothing is approved. */
function Written({ value, label, place, schema, locked, autoFocus, change, reads, read, code }: FieldProps & { read: (text: string, locale: string) => { value: unknown } | undefined; code: boolean }) {
  const { locale, form: words } = useStrings();
  const [typed, setTyped] = useState(() => (isNumeric(value) ? numberFor(textOfNumber(value), locale) : stringify(value)));
  const wrong = read(typed, locale) === undefined;
  return (
    <Labelled
      label={label}
      schema={schema}
      field={(id) => (
        <>
          <input
            id={id}
            type="text"
            inputMode={code ? undefined : "decimal"}
            size={typed.length || 1}
            className={code ? "code" : undefined}
            autoComplete="off"
            spellCheck={false}
            data-testid={`edit ${place}`}
            disabled={locked}
            autoFocus={autoFocus}
            aria-invalid={wrong}
            aria-describedby={`${id}-fault`}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              const now = read(target.value, locale);
              reads(place, now !== undefined);
              if (now) change(now.value);
            }}
          />
          {!code && <ReadAs text={typed} />}
          <span id={`${id}-fault`}>
            {wrong && (
              <span className="fault" role="alert">
                {code ? words.noJson : words.noNumber}
              </span>
            )}
          </span>
        </>
      )}
    />
  );
}

/** What a new item of a list begins with, after one that is there. */
function blank(like: unknown): unknown {
  if (typeof like === "string") return "";
  if (typeof like === "boolean") return false;
  if (isNumeric(like)) return 0;
  if (Array.isArray(like)) return [];
  return isObject(like) ? Object.fromEntries(Object.entries(like).map(([name, member]) => [name, blank(member)])) : null;
}

function Items({ value, label, place, schema, change, reads, ...more }: FieldProps & { value: readonly unknown[] }) {
  const { form: words } = useStrings();
  // Fields keep what is typed into them; those of a list that is shorter are others.
  const [taken, take] = useState(0);
  const items = schema && isObject(schema.items) ? schema.items : undefined;
  const remove = (at: number) => {
    reads(place, true);
    take(taken + 1);
    change(value.filter((_, i) => i !== at));
  };
  return (
    <fieldset className="form" data-testid={`edit ${place}`}>
      <legend>
        <bdi>
          <Marked text={label} />
        </bdi>
      </legend>
      {value.map((item, i) => (
        <div key={`${taken} ${i}`} className="item">
          <Field {...more} reads={reads} autoFocus={false} value={item} label={String(i + 1)} place={`${place}/${i}`} schema={items} change={(now) => change(value.map((one, j) => (i === j ? now : one)))} />
          <button type="button" className="quiet" data-edits aria-label={words.removeNumber(i + 1)} disabled={more.locked} onClick={() => remove(i)}>
            {words.remove}
          </button>
        </div>
      ))}
      <div className="actions">
        <button type="button" data-edits disabled={more.locked} onClick={() => change([...value, blank(value[0])])}>
          {words.addOne}
        </button>
      </div>
    </fieldset>
  );
}
