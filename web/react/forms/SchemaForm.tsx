// Not from the package's index, which brings a registry for tests along.
import Form from "@rjsf/core/lib/components/Form.js";
import { ErrorSchemaBuilder, type RJSFSchema, type ValidatorType } from "@rjsf/utils";
import { type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import { FIELDS, TEMPLATES, WIDGETS } from "./formparts.js";
import { isChoice } from "./choices.js";
import { decided, drawn } from "./formschema.js";
import { judge } from "./judge.js";
import type { Strings } from "../lib/strings.js";
import type { Schema } from "./schema.js";
import { isAnything, useTyped } from "./typed.js";
import { useStrings } from "../lib/words.js";

export interface SchemaFormHandle {
  /** What was filled in. Undefined where the schema does not allow it: the form says what is wrong, and the first such field has the focus. */
  read: () => { value: unknown } | undefined;
}

interface Props {
  schema: Schema;
  /** What its fields begin with. */
  given?: unknown;
  locked: boolean;
  handle: Ref<SchemaFormHandle>;
}

/** The fields of a schema, checked when they are read. */
export default function SchemaForm({ schema, given, locked, handle }: Props) {
  const words = useStrings();
  const validator = useMemo(() => validatorFor(words.fault), [words]);
  const form = useRef<Form>(null);
  const box = useRef<HTMLDivElement>(null);
  const [kept, keep] = useTyped<unknown>("form", given, isAnything);
  const [value, setValue] = useState(kept);
  const shown = useRef(false);
  useEffect(() => void (shown.current = true), []);
  const asked = useMemo(() => {
    const { schema: made, ui } = drawn(schema, words.form.none);
    return { schema: made, ui: isChoice(schema) ? { "ui:title": typeof schema.title === "string" ? schema.title : words.form.answer, ...ui } : ui };
  }, [schema, words]);
  useImperativeHandle(handle, () => ({
    read: () => {
      const valid = form.current?.validateForm() === true;
      // What cannot be read is no value to the form, and would be left out.
      const unread = [...(box.current?.querySelectorAll("input") ?? [])].find(({ validity }) => validity.badInput || validity.customError);
      const unreadable = unread ?? box.current?.querySelector('[data-unreadable="true"]');
      if (valid && !unreadable) return { value: said(asked.schema, form.current?.state.formData) };
      requestAnimationFrame(() => {
        (unread ?? box.current?.querySelector<HTMLElement>('[aria-invalid="true"]'))?.focus();
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
        schema={asked.schema as RJSFSchema}
        uiSchema={asked.ui}
        validator={validator}
        formData={value}
        onChange={({ formData }) => {
          setValue(formData);
          // What it begins with was typed by nobody.
          if (shown.current) keep(formData);
        }}
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

/** What a form says, of whose fields nobody has to touch one. */
function said(schema: Schema, value: unknown): unknown {
  return decided(schema, value ?? (schema.type === "array" ? [] : {}));
}

const validatorFor = (words: Strings["fault"]): ValidatorType => ({
  isValid: (schema, value, root) => {
    const { $defs, definitions } = (root ?? {}) as Schema;
    return judge({ ...(schema as Schema), ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) }, value, words).length === 0;
  },
  rawValidation: (schema, value) => ({ errors: judge(schema as Schema, value, words) as never[] }),
  validateFormData: (value, schema) => {
    const builder = new ErrorSchemaBuilder();
    const errors = judge(schema as Schema, said(schema as Schema, value), words).map(({ path, message }) => {
      builder.addErrors(message, path);
      return { message, stack: message, property: path.join(".") };
    });
    return { errors, errorSchema: builder.ErrorSchema };
  },
});
