// How @rjsf/core draws a form here: labels that belong to their fields, faults that are read out, text as text.

import type {
  ArrayFieldItemTemplateProps, ArrayFieldTemplateProps, BaseInputTemplateProps, DescriptionFieldProps, FieldErrorProps, FieldProps,
  FieldTemplateProps, IconButtonProps, ObjectFieldTemplateProps, RegistryFieldsType, RegistryWidgetsType, TemplatesType, TitleFieldProps,
  UnsupportedFieldProps, WidgetProps,
} from "@rjsf/utils";
import { getInputProps } from "@rjsf/utils";
import { useRef, useState } from "react";
import { readJson } from "./readjson.js";
import { SelectWidget } from "./choicefields.js";
import { useBeforePaint } from "../lib/beforepaint.js";
import { numberFor, numberIn } from "../lib/decimal.js";
import { allRequired, rangeOf } from "./formschema.js";
import { commonOf, labelOfField, more, ROOT } from "./fieldnames.js";
import { isNumeric, numberOf, stringify, textOfNumber } from "../lib/json.js";
import { told } from "./judge.js";
import { Marked, Misleading } from "../lib/Marked.js";
import { escaped, unescaped } from "../lib/misleading.js";
import { ReadAs } from "../lib/ReadAs.js";
import { useStrings } from "../lib/words.js";
import type { Schema } from "./schema.js";
import { isText, useTyped } from "./typed.js";

function FieldTemplate({ id, label, children, rawErrors, rawDescription, hidden, required, displayLabel, schema }: FieldTemplateProps) {
  const { form: words, fault } = useStrings();
  if (hidden) return <div hidden>{children}</div>;
  // A boolean is asked like any other choice, with its label in front.
  const labelled = displayLabel || schema.type === "boolean";
  // A group of fields is named by it, and has no field to go to.
  const Label = schema.type === "array" ? "span" : "label";
  return (
    <div className="field">
      {labelled && (
        <Label {...(Label === "label" && { htmlFor: id })} className="label" id={labelOfField(id)}>
          <bdi>
            <Marked text={label} />
          </bdi>
          {!required && id !== ROOT && <span className="hint"> {words.optional}</span>}
        </Label>
      )}
      {children}
      {labelled && <Misleading text={`${label}\n${rawDescription ?? ""}`} />}
      <span id={more(id)}>
        {labelled && rawDescription && (
          <span className="hint">
            <Marked text={rawDescription} />
          </span>
        )}
        {rawErrors && rawErrors.length > 0 && (
          <span className="fault" role="alert">
            <Marked text={told(label || fault.this, rawErrors, fault)} />
          </span>
        )}
      </span>
    </div>
  );
}

function BaseInputTemplate(props: BaseInputTemplateProps) {
  const { schema, type, options, value, onChange, onChangeOverride } = props;
  const { type: kind, step } = getInputProps(schema, type, options);
  return (
    <>
      <input
        {...commonOf(props)}
        type={kind}
        step={step}
        autoComplete="off"
        value={isNumeric(value) ? textOfNumber(value) : (value ?? "")}
        onChange={onChangeOverride ?? ((event) => onChange(event.target.value === "" ? options.emptyValue : event.target.value))}
      />
      <Misleading text={String(value ?? "")} />
    </>
  );
}

function TextareaWidget(props: WidgetProps) {
  return (
    <>
      <textarea
        {...commonOf(props)}
        rows={4}
        value={String(props.value ?? "")}
        onChange={(event) => props.onChange(event.target.value === "" ? props.options.emptyValue : event.target.value)}
      />
      <Misleading text={String(props.value ?? "")} />
    </>
  );
}

/** What is typed on the way to a number. */
const BEGUN = /^-?[\d.,]*([eE][+-]?\d*)?$/;

/** A number, which keeps the text that it is typed in. An input of type number would round it. */
function NumberField(props: FieldProps) {
  const { fieldPathId, schema, formData, onChange, registry, rawErrors } = props;
  const { locale, form } = useStrings();
  const noNumber = schema.type === "integer" ? form.noInteger : form.noNumber;
  const [left, leave] = useState(false);
  const { StringField } = registry.fields as { StringField: React.ComponentType<FieldProps> };
  // Kept as long as it is no number; what is one is the form's.
  const [begun, setBegun] = useTyped<string | undefined>(`number ${fieldPathId.$id}`, undefined, isText);
  const [typed, setTyped] = useState(begun ?? "");
  const box = useRef<HTMLInputElement>(null);
  const known = isNumeric(formData) ? textOfNumber(formData) : undefined;
  // What comes from elsewhere, a default or an earlier answer, takes the place of what was typed.
  const text = known !== undefined && numberIn(typed, locale) !== known ? numberFor(known, locale) : typed;
  const readable = text.trim() === "" || numberIn(text, locale) !== undefined;
  useBeforePaint(() => box.current?.setCustomValidity(readable ? "" : noNumber), [readable, noNumber]);
  if (registry.schemaUtils.isSelect(schema)) return <StringField {...props} />;
  // What is typed so far may be on its way to a number, until somebody goes on.
  const wrong = !readable && (left || !BEGUN.test(text.trim()));
  const common = commonOf({ ...props, id: fieldPathId.$id });
  const hint = `${fieldPathId.$id}-number`;
  return (
    <>
      <input
        {...common}
        ref={box}
        aria-describedby={`${common["aria-describedby"]} ${hint}`}
        type="text"
        inputMode="decimal"
        size={text.length || 1}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={wrong || (rawErrors?.length ?? 0) > 0}
        value={text}
        onBlur={() => leave(true)}
        onChange={({ target: { value } }) => {
          setTyped(value);
          const read = numberIn(value, locale);
          setBegun(value.trim() === "" || read !== undefined ? undefined : value);
          onChange(read === undefined ? undefined : numberOf(read), fieldPathId.path);
        }}
      />
      <span className="hint" id={hint} hidden={wrong}>
        {form.number(schema.type === "integer", ...rangeOf(schema as Schema, locale))}
      </span>
      <ReadAs text={text} />
      {wrong && (
        <span className="fault unread" role="alert">
          {noNumber}
        </span>
      )}
    </>
  );
}

/** A member that may be anything, written as JSON. What cannot be read is no value. */
function JsonField({ fieldPathId, name, schema, uiSchema, formData, required, disabled, readonly, rawErrors, onChange }: FieldProps) {
  const { form: words } = useStrings();
  const id = fieldPathId.$id;
  // Kept as long as it is no JSON; what is some is the form's.
  const [begun, setBegun] = useTyped<string | undefined>(`json ${id}`, undefined, isText);
  const [typed, setTyped] = useState(() => (formData === undefined ? (begun ?? "") : escaped(stringify(formData, 2))));
  const read = typed.trim() === "" ? undefined : readJson(typed, words);
  const fault = read && "fault" in read ? read.fault : undefined;
  const change = (text: string) => {
    setTyped(text);
    const now = text.trim() === "" ? undefined : readJson(text, words);
    setBegun(now && "fault" in now ? text : undefined);
    onChange(now && "value" in now ? now.value : undefined, fieldPathId.path);
  };
  return (
    <>
      {uiSchema?.["ui:label"] !== false && (
        <label htmlFor={id}>
          <bdi>
            <Marked text={schema.title ?? name} />
          </bdi>
          {!required && <span className="hint"> {words.optional}</span>}
        </label>
      )}
      <textarea
        {...commonOf({ id, name, disabled, readonly, required, rawErrors })}
        aria-invalid={fault !== undefined || (rawErrors?.length ?? 0) > 0}
        data-unreadable={fault !== undefined}
        className="code"
        rows={3}
        spellCheck={false}
        placeholder={words.json}
        value={typed}
        onChange={(event) => change(event.target.value)}
      />
      <Misleading text={`${schema.title ?? name}\n${schema.description ?? ""}\n${unescaped(typed)}`} />
      {schema.description && (
        <span className="hint">
          <Marked text={schema.description} />
        </span>
      )}
      {fault && (
        <span className="fault unread" role="alert">
          {fault}
        </span>
      )}
    </>
  );
}

function ObjectFieldTemplate({ title, description, properties, fieldPathId, onAddProperty, schema, disabled }: ObjectFieldTemplateProps) {
  const { addMember, allNeeded } = useStrings().form;
  const root = fieldPathId.path.length === 0;
  return (
    <fieldset className={root ? "form root" : "form"} id={fieldPathId.$id}>
      {title && !root && <Legend text={title} />}
      {description && (
        <p className="hint">{typeof description === "string" ? <Marked text={description} /> : description}</p>
      )}
      {root && properties.length > 1 && allRequired(schema as Schema) && <p className="hint">{allNeeded}</p>}
      {properties.map((property) => property.content)}
      {schema.additionalProperties !== undefined && schema.additionalProperties !== false && (
        <button type="button" data-edits disabled={disabled} onClick={onAddProperty}>
          {addMember}
        </button>
      )}
    </fieldset>
  );
}

function ArrayFieldTemplate({ title, schema, items, canAdd, disabled, onAddClick, fieldPathId, required }: ArrayFieldTemplateProps) {
  const { form: words } = useStrings();
  return (
    <fieldset className="form" id={fieldPathId.$id}>
      <legend>
        <bdi>
          <Marked text={title} />
        </bdi>
        {!required && <span className="hint"> {words.optional}</span>}
      </legend>
      {schema.description && (
        <p className="hint">
          <Marked text={schema.description} />
        </p>
      )}
      <Misleading text={`${title}\n${schema.description ?? ""}`} />
      {items}
      {canAdd && (
        <div className="actions">
          <button type="button" data-edits data-testid={`add-${String(fieldPathId.path.at(-1) ?? "item")}`} disabled={disabled} onClick={onAddClick}>
            {words.addOne}
          </button>
        </div>
      )}
    </fieldset>
  );
}

function ArrayFieldItemTemplate({ children, buttonsProps, index }: ArrayFieldItemTemplateProps) {
  const { form: words } = useStrings();
  return (
    <div className="item">
      {children}
      {buttonsProps.hasRemove && (
        <button type="button" className="quiet" data-edits aria-label={words.removeNumber(index + 1)} disabled={buttonsProps.disabled} onClick={buttonsProps.onRemoveItem}>
          {words.remove}
        </button>
      )}
    </div>
  );
}

function Legend({ text }: { text: string }) {
  return (
    <>
      <legend>
        <bdi>
          <Marked text={text} />
        </bdi>
      </legend>
      <Misleading text={text} />
    </>
  );
}

const Words = ({ children }: { children?: React.ReactNode }) => <p className="hint">{children}</p>;
const Nothing = () => null;
const button = (name: "addOne" | "remove" | "clear") =>
  function FormButton({ onClick, disabled }: IconButtonProps) {
    const { form: words } = useStrings();
    return (
      <button type="button" className="quiet" data-edits onClick={onClick} disabled={disabled}>
        {words[name]}
      </button>
    );
  };

function Unsupported({ reason }: UnsupportedFieldProps) {
  const { unsupported } = useStrings().form;
  return <Words>{unsupported(reason ?? "")}</Words>;
}

export const TEMPLATES: Partial<Omit<TemplatesType, "ButtonTemplates">> & { ButtonTemplates: Partial<TemplatesType["ButtonTemplates"]> } = {
  FieldTemplate,
  BaseInputTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  TitleFieldTemplate: ({ title }: TitleFieldProps) => <Legend text={title} />,
  DescriptionFieldTemplate: ({ description }: DescriptionFieldProps) => <Words>{description}</Words>,
  FieldErrorTemplate: Nothing as React.ComponentType<FieldErrorProps>,
  UnsupportedFieldTemplate: Unsupported,
  ButtonTemplates: {
    AddButton: button("addOne"),
    RemoveButton: button("remove"),
    ClearButton: button("clear"),
    CopyButton: Nothing,
    MoveUpButton: Nothing,
    MoveDownButton: Nothing,
    SubmitButton: Nothing,
  },
};

export const WIDGETS: RegistryWidgetsType = { TextareaWidget, SelectWidget, CheckboxWidget: SelectWidget, RadioWidget: SelectWidget };

export const FIELDS: RegistryFieldsType = { JsonField, NumberField };
