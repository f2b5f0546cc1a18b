// Not from the package's index, which brings a registry for tests along.
import Form from "@rjsf/core/lib/components/Form.js";
import { ErrorSchemaBuilder, type RJSFSchema, type UiSchema, type ValidatorType } from "@rjsf/utils";
import { type Ref, useImperativeHandle, useMemo, useRef, useState } from "react";
import { FIELDS, TEMPLATES, WIDGETS } from "./formparts";
import { judge } from "./judge";
import { isObject, propertiesOf, type Schema } from "./schema";

export interface SchemaFormHandle {
  /** What was filled in. Undefined where the schema does not allow it: the form says what is wrong, and the first such field has the focus. */
  read: () => { value: unknown } | undefined;
}

interface Props {
  schema: Schema;
  /** What its fields begin with. */
  given?: unknown;
  locked: boolean;
  ref: Ref<SchemaFormHandle>;
}

/** The fields of a schema, checked when they are read. */
export default function SchemaForm({ schema, given, locked, ref }: Props) {
  const form = useRef<Form>(null);
  const box = useRef<HTMLDivElement>(null);
  const [value, setValue] = useState(given);
  const uiSchema = useMemo(() => uiSchemaOf(schema), [schema]);
  useImperativeHandle(ref, () => ({
    read: () => {
      const valid = form.current?.validateForm() === true;
      // What cannot be read is no value to the form, and would be left out.
      const unread = [...(box.current?.querySelectorAll("input") ?? [])].find(({ validity }) => validity.badInput || validity.customError);
      const unreadable = unread ?? box.current?.querySelector('[data-unreadable="true"]');
      if (valid && !unreadable) return { value: form.current?.state.formData ?? {} };
      requestAnimationFrame(() => {
        if (unread) unread.reportValidity();
        else box.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
      });
      return undefined;
    },
  }));
  return (
    <div ref={box}>
      <Form
        ref={form}
        tagName="div"
        className="form"
        schema={schema as RJSFSchema}
        uiSchema={uiSchema}
        validator={VALIDATOR}
        formData={value}
        onChange={(event) => setValue(event.formData)}
        disabled={locked}
        noHtml5Validate
        // What is wrong is shown; without this it would be logged too.
        onError={noop}
        showErrorList={false}
        templates={TEMPLATES}
        widgets={WIDGETS}
        fields={FIELDS}
        // Nothing is decided that nobody has decided.
        experimental_defaultFormStateBehavior={{ emptyObjectFields: "skipEmptyDefaults", requiredBooleanDefault: "skip" }}
      >
        <></>
      </Form>
    </div>
  );
}

function noop(): void {}

const VALIDATOR: ValidatorType = {
  isValid: (schema, value, root) => {
    const { $defs, definitions } = (root ?? {}) as Schema;
    return judge({ ...(schema as Schema), ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) }, value).length === 0;
  },
  rawValidation: (schema, value) => ({ errors: judge(schema as Schema, value) as never[] }),
  validateFormData: (value, schema) => {
    const builder = new ErrorSchemaBuilder();
    const errors = judge(schema as Schema, value ?? {}).map(({ path, message }) => {
      builder.addErrors(message, path);
      return { message, stack: message, property: path.join(".") };
    });
    return { errors, errorSchema: builder.ErrorSchema };
  },
};

/** What a schema does not say of how to ask: members that may be anything are JSON, long texts have several lines. */
function uiSchemaOf(schema: Schema): UiSchema {
  const ui: UiSchema = {};
  for (const [name, sub] of Object.entries(propertiesOf(schema))) {
    const said = ["type", "enum", "const", "oneOf", "anyOf", "allOf", "$ref", "properties"].some((keyword) => keyword in sub);
    const free = sub.type === "object" && !isObject(sub.properties);
    if (!said || free) ui[name] = { "ui:field": "JsonField" };
    else if (sub.type === "string" && typeof sub.maxLength === "number" && sub.maxLength > 200) ui[name] = { "ui:widget": "textarea" };
    else if (sub.type === "object") ui[name] = uiSchemaOf(sub);
  }
  return ui;
}
