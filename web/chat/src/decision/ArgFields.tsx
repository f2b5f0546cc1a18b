import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { pretty } from "../forms/answers";
import { argFields, type ArgField } from "./argfields";
import { Folded } from "../lib/Folded";
import { Marked } from "../lib/Marked";

/** A field that is longer is folded where nobody decides about it, in characters. */
const SHORT = 240;

interface Props {
  /** JSON, or what is to become JSON. */
  text: string;
  hook: string;
  label: string;
  /** It is only looked back at: long fields are folded away. */
  compact?: boolean;
  /** Hears how many bytes are not shown. */
  hides?: (bytes: number) => void;
}

/** JSON as fields with labels where it is an object, and as it is on demand; anything else as it is. */
export function ArgFields({ text, hook, label, compact = false, hides }: Props) {
  const fields = useMemo(() => argFields(text), [text]);
  const shown = useMemo(() => (fields ? "" : pretty(text)), [fields, text]);
  const [hidden, setHidden] = useState<Readonly<Record<string, number>>>({});
  const hide = useCallback((name: string, bytes: number) => setHidden((now) => ((now[name] ?? 0) === bytes ? now : { ...now, [name]: bytes })), []);
  const unseen = (fields ?? []).reduce((sum, { name }) => sum + (hidden[name] ?? 0), 0);
  useEffect(() => {
    if (fields) hides?.(unseen);
  }, [hides, fields, unseen]);
  if (!fields) return <Folded text={shown} source={text} hook={hook} label={label} hides={hides} />;
  return (
    <div className="args" data-testid={hook} role="group" aria-label={label}>
      {fields.length === 0 ? (
        <p className="hint">None</p>
      ) : (
        <dl>
          {fields.map((field) => (
            <div key={field.name} className={field.kind}>
              <dt>
                <bdi>
                  <Marked text={field.name} />
                </bdi>
              </dt>
              <dd>
                <Value field={field} compact={compact} hide={hide} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {fields.length > 0 && (
        <OnDemand hook={`${hook}-as-json`} words="JSON">
          <Json text={text} hook={`${hook}-json`} label={`${label}, as JSON`} />
        </OnDemand>
      )}
    </div>
  );
}

function Json({ text, hook, label }: { text: string; hook: string; label: string }) {
  const shown = useMemo(() => pretty(text), [text]);
  return <Folded text={shown} source={text} hook={hook} label={label} />;
}

function Value({ field: { name, kind, text }, compact, hide }: { field: ArgField; compact: boolean; hide: (name: string, bytes: number) => void }) {
  const hides = useCallback((bytes: number) => hide(name, bytes), [hide, name]);
  if (compact && (kind === "json" || text.length > SHORT)) {
    return (
      <OnDemand hook="folded-field" words={<Marked text={`${text.slice(0, 80).replace(/\s+/g, " ")}${text.length > 80 ? "…" : ""}`} />}>
        <Folded text={text} json={kind === "json"} hook="long-text" label={name} />
      </OnDemand>
    );
  }
  if (kind === "json" || text.length > SHORT) return <Folded text={text} json={kind === "json"} hook="long-text" label={name} hides={hides} />;
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

/** What is drawn when it is asked for. */
export function OnDemand({ hook, words, children }: { hook: string; words: ReactNode; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details data-testid={hook} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words}</summary>
      {open && children}
    </details>
  );
}
