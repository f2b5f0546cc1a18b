// How @rjsf/core draws a form here: labels that belong to their fields, faults that are read out, text as text.

import type {
  ArrayFieldItemTemplateProps, ArrayFieldTemplateProps, BaseInputTemplateProps, DescriptionFieldProps, FieldErrorProps, FieldProps,
  FieldTemplateProps, IconButtonProps, ObjectFieldTemplateProps, RegistryFieldsType, RegistryWidgetsType, TemplatesType, TitleFieldProps,
  UnsupportedFieldProps, WidgetProps,
} from "@rjsf/utils";
import { getInputProps } from "@rjsf/utils";
import { useLayoutEffect, useRef, useState } from "react";
import { readJson } from "./answers";
import { NUMBER } from "./decimal";
import { isNumeric, numberOf, stringify, textOfNumber } from "./json";
import { Marked, Misleading } from "./Marked";
import { escaped, unescaped, visible } from "./misleading";

const more = (id: string) => `${id}-more`;

function FieldTemplate({ id, label, children, rawErrors, rawDescription, hidden, required, displayLabel, schema }: FieldTemplateProps) {
  if (hidden) return <div hidden>{children}</div>;
  // A boolean is asked like any other choice, with its label in front.
  const labelled = displayLabel || schema.type === "boolean";
  return (
    <div className="field">
      {labelled && (
        <label htmlFor={id}>
          <bdi>
            <Marked text={label} />
          </bdi>
          {!required && <span className="hint"> (optional)</span>}
        </label>
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
            {[...new Set(rawErrors)].join("; ")}
          </span>
        )}
      </span>
    </div>
  );
}

function commonOf({ id, name, disabled, readonly, required, rawErrors }: Pick<WidgetProps, "id" | "name" | "disabled" | "readonly" | "required" | "rawErrors">) {
  return {
    id,
    name,
    "data-testid": `field-${name}`,
    disabled: disabled || readonly,
    "aria-required": required,
    "aria-invalid": (rawErrors?.length ?? 0) > 0,
    "aria-describedby": more(id),
  };
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

function SelectWidget(props: WidgetProps) {
  const { options, value, onChange, multiple } = props;
  const choices = options.enumOptions ?? [];
  const isChosen = (choice: unknown) => stringify(choice) === stringify(value);
  if (multiple) {
    const chosen = Array.isArray(value) ? value.map((one) => stringify(one)) : [];
    return (
      <>
        <select
          {...commonOf(props)}
          multiple
          value={choices.flatMap((choice, index) => (chosen.includes(stringify(choice.value)) ? [String(index)] : []))}
          onChange={(event) => onChange([...event.target.selectedOptions].map((option) => choices[Number(option.value)]!.value))}
        >
          <Options choices={choices} />
        </select>
        <Misleading text={choices.map(labelOf).join("\n")} />
      </>
    );
  }
  const index = choices.findIndex((choice) => isChosen(choice.value));
  return (
    <>
      <select
        {...commonOf(props)}
        value={index < 0 ? "" : String(index)}
        onChange={(event) => onChange(event.target.value === "" ? options.emptyValue : choices[Number(event.target.value)]!.value)}
      >
        <option value="">Choose…</option>
        <Options choices={choices} />
      </select>
      <Misleading text={choices.map(labelOf).join("\n")} />
    </>
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

/** What is typed on the way to a number. */
const BEGUN = /^-?\d*\.?\d*([eE][+-]?\d*)?$/;
const NO_NUMBER = "Write a number, such as 12.5.";

/** A number, which keeps the text that it is typed in. An input of type number would round it. */
function NumberField(props: FieldProps) {
  const { fieldPathId, schema, formData, onChange, registry, rawErrors } = props;
  const { StringField } = registry.fields as { StringField: React.ComponentType<FieldProps> };
  const [typed, setTyped] = useState("");
  const box = useRef<HTMLInputElement>(null);
  const known = isNumeric(formData) ? textOfNumber(formData) : undefined;
  // What comes from elsewhere, a default or an earlier answer, takes the place of what was typed.
  const text = known !== undefined && typed.trim() !== known ? known : typed;
  const readable = text.trim() === "" || NUMBER.test(text.trim());
  useLayoutEffect(() => box.current?.setCustomValidity(readable ? "" : NO_NUMBER), [readable]);
  if (registry.schemaUtils.isSelect(schema)) return <StringField {...props} />;
  const wrong = !readable && !BEGUN.test(text.trim());
  return (
    <>
      <input
        {...commonOf({ ...props, id: fieldPathId.$id })}
        ref={box}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={wrong || (rawErrors?.length ?? 0) > 0}
        value={text}
        onChange={({ target: { value } }) => {
          setTyped(value);
          onChange(NUMBER.test(value.trim()) ? numberOf(value.trim()) : undefined, fieldPathId.path);
        }}
      />
      {wrong && (
        <span className="fault" role="alert">
          {NO_NUMBER}
        </span>
      )}
    </>
  );
}

/** A member that may be anything, written as JSON. What cannot be read is no value. */
function JsonField({ fieldPathId, name, schema, uiSchema, formData, required, disabled, readonly, rawErrors, onChange }: FieldProps) {
  const [typed, setTyped] = useState(() => (formData === undefined ? "" : escaped(stringify(formData, 2))));
  const read = typed.trim() === "" ? undefined : readJson(typed);
  const fault = read && "fault" in read ? read.fault : undefined;
  const id = fieldPathId.$id;
  const change = (text: string) => {
    setTyped(text);
    const now = text.trim() === "" ? undefined : readJson(text);
    onChange(now && "value" in now ? now.value : undefined, fieldPathId.path);
  };
  return (
    <>
      {uiSchema?.["ui:label"] !== false && (
        <label htmlFor={id}>
          <bdi>
            <Marked text={schema.title ?? name} />
          </bdi>
          {!required && <span className="hint"> (optional)</span>}
        </label>
      )}
      <textarea
        {...commonOf({ id, name, disabled, readonly, required, rawErrors })}
        aria-invalid={fault !== undefined || (rawErrors?.length ?? 0) > 0}
        data-unreadable={fault !== undefined}
        className="code"
        rows={3}
        spellCheck={false}
        placeholder="JSON"
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
        <span className="fault" role="alert">
          {fault}
        </span>
      )}
    </>
  );
}

function ObjectFieldTemplate({ title, description, properties, fieldPathId, onAddProperty, schema, disabled }: ObjectFieldTemplateProps) {
  const root = fieldPathId.path.length === 0;
  return (
    <fieldset className={root ? "form root" : "form"} id={fieldPathId.$id}>
      {title && <Legend text={title} />}
      {description && (
        <p className="hint">{typeof description === "string" ? <Marked text={description} /> : description}</p>
      )}
      {properties.map((property) => property.content)}
      {schema.additionalProperties !== undefined && schema.additionalProperties !== false && (
        <button type="button" data-edits disabled={disabled} onClick={onAddProperty}>
          Add a member
        </button>
      )}
    </fieldset>
  );
}

function ArrayFieldTemplate({ title, schema, items, canAdd, disabled, onAddClick, fieldPathId, required }: ArrayFieldTemplateProps) {
  return (
    <fieldset className="form" id={fieldPathId.$id}>
      <legend>
        <bdi>
          <Marked text={title} />
        </bdi>
        {!required && <span className="hint"> (optional)</span>}
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
            Add one
          </button>
        </div>
      )}
    </fieldset>
  );
}

function ArrayFieldItemTemplate({ children, buttonsProps, index }: ArrayFieldItemTemplateProps) {
  return (
    <div className="item">
      {children}
      {buttonsProps.hasRemove && (
        <button type="button" className="quiet" data-edits aria-label={`Remove number ${index + 1}`} disabled={buttonsProps.disabled} onClick={buttonsProps.onRemoveItem}>
          Remove
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
const button = (words: string) => ({ onClick, disabled }: IconButtonProps) => (
  <button type="button" className="quiet" data-edits onClick={onClick} disabled={disabled}>
    {words}
  </button>
);

export const TEMPLATES: Partial<Omit<TemplatesType, "ButtonTemplates">> & { ButtonTemplates: Partial<TemplatesType["ButtonTemplates"]> } = {
  FieldTemplate,
  BaseInputTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  TitleFieldTemplate: ({ title }: TitleFieldProps) => <Legend text={title} />,
  DescriptionFieldTemplate: ({ description }: DescriptionFieldProps) => <Words>{description}</Words>,
  FieldErrorTemplate: Nothing as React.ComponentType<FieldErrorProps>,
  UnsupportedFieldTemplate: ({ reason }: UnsupportedFieldProps) => <Words>No form can ask for this: {reason}. Cancel the question if it is needed.</Words>,
  ButtonTemplates: {
    AddButton: button("Add one"),
    RemoveButton: button("Remove"),
    ClearButton: button("Clear"),
    CopyButton: Nothing,
    MoveUpButton: Nothing,
    MoveDownButton: Nothing,
    SubmitButton: Nothing,
  },
};

export const WIDGETS: RegistryWidgetsType = { TextareaWidget, SelectWidget, CheckboxWidget: SelectWidget, RadioWidget: SelectWidget };

export const FIELDS: RegistryFieldsType = { JsonField, NumberField };
