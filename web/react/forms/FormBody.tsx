import { type FormEvent, lazy, type ReactNode, type Ref, Suspense, useRef } from "react";
import { JsonBody } from "./JsonBody.js";
import { OrElse } from "../lib/OrElse.js";
import { part } from "../lib/part.js";
import { useStrings } from "../lib/words.js";
import type { Schema } from "./schema.js";
import type { SchemaFormHandle } from "./SchemaForm.js";

/** Loaded with the first question that needs it. */
const SchemaForm = lazy(() => part(() => import("./SchemaForm.js")));

interface FormProps {
  schema: Schema;
  /** What was answered before. */
  given?: unknown;
  locked: boolean;
  /** The button that abandons the question. */
  abandon: ReactNode;
  resolve: (payload: unknown) => void;
}

/**
 * A form made of a schema. Nothing is sent before it reads as the schema says. A schema is an agent's: where a form
 * cannot be made of it after all, the answer is asked for as JSON.
 */
export function FormBody({ schema, given, locked, abandon, resolve }: FormProps) {
  const { form: words } = useStrings();
  const form = useRef<SchemaFormHandle>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = form.current?.read();
    if (read) resolve(read.value);
  };
  return (
    <OrElse instead={<JsonBody schema={schema} given={given} locked={locked} abandon={abandon} resolve={resolve} />}>
      <Suspense fallback={<Loading>{abandon}</Loading>}>
        <form className="form" noValidate onSubmit={submit}>
          <SchemaForm schema={schema} given={given} locked={locked} handle={form} />
          <div className="actions">
            <button type="submit" className="primary" data-testid="submit-form" disabled={locked}>
              {words.send}
            </button>
            {abandon}
          </div>
        </form>
      </Suspense>
    </OrElse>
  );
}

/** The fields of a schema, loaded when they are needed; until then the handle is empty. */
export function Fields({ schema, given, locked, handle }: Pick<FormProps, "schema" | "given" | "locked"> & { handle: Ref<SchemaFormHandle> }) {
  return (
    <Suspense fallback={<Loading />}>
      <SchemaForm schema={schema} given={given} locked={locked} handle={handle} />
    </Suspense>
  );
}

function Loading({ children }: { children?: ReactNode }) {
  const { loading } = useStrings().form;
  return (
    <div className="actions">
      <p className="hint" role="status">
        {loading}
      </p>
      {children}
    </div>
  );
}
