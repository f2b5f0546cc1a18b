// The part of JSON Schema that a form is drawn for: an object of texts, numbers, choices and marks.

export interface Field {
  name: string;
  title: string;
  type: "string" | "number" | "integer" | "boolean";
  required: boolean;
  options?: string[];
}

interface Property {
  type?: unknown;
  title?: unknown;
  enum?: unknown;
}

/** The fields of a schema; undefined where there is something else in it. */
export function fieldsOf(schema: Record<string, unknown> | undefined): Field[] | undefined {
  if (schema?.type !== "object" || typeof schema.properties !== "object" || schema.properties === null) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields: Field[] = [];
  for (const [name, { type, title, enum: options }] of Object.entries(schema.properties as Record<string, Property>)) {
    if (type !== "string" && type !== "number" && type !== "integer" && type !== "boolean") return undefined;
    const field: Field = { name, type, title: typeof title === "string" ? title : name, required: required.includes(name) };
    if (options !== undefined) {
      if (type !== "string" || !Array.isArray(options)) return undefined;
      field.options = options.map(String);
    }
    fields.push(field);
  }
  return fields;
}

/** What was filled in, as the schema has it; undefined for what was left out. */
export function valueOf({ type, required }: Field, text: string | undefined): unknown {
  if (type === "boolean") return text === "true" || (required ? false : undefined);
  if (!text) return type === "string" && required ? "" : undefined;
  return type === "string" ? text : Number(text);
}
