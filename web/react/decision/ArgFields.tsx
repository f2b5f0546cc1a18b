import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { pretty } from "../forms/readjson.js";
import { argFields, type ArgField } from "./argparts.js";
import { Folded } from "../lib/Folded.js";
import { Marked } from "../lib/Marked.js";
import { isProse } from "../lib/prose.js";
import { useStrings } from "../lib/words.js";
import type { Schema } from "../forms/schema.js";

/** A field that is longer is folded where nobody decides about it, in characters. */
const SHORT = 240;

interface Props {
  /** JSON, or what is to become JSON. */
  text: string;
  hook: string;
  label: string;
  /** All of it, as JSON, where the text leaves out what is said elsewhere. */
  whole?: string;
  /** What its members are called. */
  schema?: Schema;
  /** It is only looked back at: long fields, and those with parts, are folded away. */
  compact?: boolean;
  /** Hears how many bytes are not shown. */
  hides?: (bytes: number) => void;
}

/** JSON as fields with labels where it is an object, and as it is on demand; anything else as it is. */
export function ArgFields({ text, hook, label, whole = text, schema, compact = false, hides }: Props) {
  const { decision: words } = useStrings();
  const fields = useMemo(() => argFields(text, schema, words.parts), [text, schema, words]);
  const shown = useMemo(() => (fields ? "" : pretty(text)), [fields, text]);
  const [hidden, setHidden] = useState<Readonly<Record<string, number>>>({});
  const hide = useCallback((place: string, bytes: number) => setHidden((now) => ((now[place] ?? 0) === bytes ? now : { ...now, [place]: bytes })), []);
  const unseen = fields ? Object.values(hidden).reduce((sum, bytes) => sum + bytes, 0) : 0;
  useEffect(() => {
    if (fields) hides?.(unseen);
  }, [hides, fields, unseen]);
  if (!fields) return <Folded text={shown} source={text} hook={hook} label={label} hides={hides} />;
  return (
    <div className="args" data-testid={hook} role="group" aria-label={label}>
      {fields.length > 0 ? <Fields fields={fields} compact={compact} hide={hide} /> : whole === text && <p className="hint">{words.noArguments}</p>}
      {(fields.length > 0 || whole !== text) && (
        <OnDemand hook={`${hook}-as-json`} words={words.showJson}>
          <Json text={whole} hook={`${hook}-json`} label={words.asJson(label)} />
        </OnDemand>
      )}
    </div>
  );
}

interface FieldsProps {
  fields: readonly ArgField[];
  /** The place of what has them, in front of their names. */
  place?: string;
  compact: boolean;
  hide: (place: string, bytes: number) => void;
}

function Fields({ fields, place = "", compact, hide }: FieldsProps) {
  return (
    <dl>
      {fields.map((field) => (
        <div key={field.name} className={field.kind}>
          <dt title={field.name}>
            <bdi>
              <Marked text={field.label} />
            </bdi>
          </dt>
          <dd>
            <Value field={field} place={`${place}/${field.name}`} compact={compact} hide={hide} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Json({ text, hook, label }: { text: string; hook: string; label: string }) {
  const shown = useMemo(() => pretty(text), [text]);
  return <Folded text={shown} source={text} hook={hook} label={label} />;
}

function Value({ field: { name, label, kind, text, fields }, place, compact, hide }: Omit<FieldsProps, "fields"> & { field: ArgField; place: string }) {
  const { parts } = useStrings().decision;
  const hides = useCallback((bytes: number) => hide(place, bytes), [hide, place]);
  if (fields) {
    if (kind === "list") {
      return (
        <ul>
          {fields.map((item) => (
            <li key={item.name}>
              <Value field={item} place={`${place}/${item.name}`} compact={compact} hide={hide} />
            </li>
          ))}
        </ul>
      );
    }
    // Whoever decides sees all of it, and may fold it away.
    return (
      <OnDemand hook="folded-fields" words={<Marked text={text} />} opened={parts(fields.length)} open={!compact}>
        <Fields fields={fields} place={place} compact={compact} hide={hide} />
      </OnDemand>
    );
  }
  if (compact && (kind === "json" || text.length > SHORT)) {
    return (
      <OnDemand hook="folded-field" words={<Marked text={`${text.slice(0, 80).replace(/\s+/g, " ")}${text.length > 80 ? "…" : ""}`} />}>
        <Folded text={text} json={kind === "json"} prose={kind === "text" && isProse(text, name)} hook="long-text" label={label} />
      </OnDemand>
    );
  }
  if (kind === "json" || text.length > SHORT) return <Folded text={text} json={kind === "json"} prose={kind === "text" && isProse(text, name)} hook="long-text" label={label} hides={hides} />;
  if (kind === "word") {
    return (
      <code>
        <Marked text={text} json />
      </code>
    );
  }
  return (
    <span className="text" dir="auto">
      <Marked text={text} />
    </span>
  );
}

interface OnDemandProps {
  hook: string;
  words: ReactNode;
  /** What is said in place of the words while it is open. */
  opened?: string;
  /** It is open from the beginning. */
  open?: boolean;
  children: ReactNode;
}

/** What is drawn when it is asked for. */
export function OnDemand({ hook, words, opened, open: begins = false, children }: OnDemandProps) {
  const [open, setOpen] = useState(begins);
  return (
    <details data-testid={hook} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{open && opened !== undefined ? opened : words}</summary>
      {open && children}
    </details>
  );
}
