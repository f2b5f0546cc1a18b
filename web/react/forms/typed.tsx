// What is typed into a question and not sent: it outlives leaving the place and a reload if somebody keeps it.

import { createContext, type ReactNode, useContext, useState } from "react";
import { isObject } from "./schema.js";

/** Keeps what is typed into one question's fields, by their names. */
export interface Keep {
  /** What was typed before. Whoever wrote it, it is looked at before use. */
  read(): unknown;
  /** Keeps this; undefined: nothing is typed any more. */
  write(fields: Readonly<Record<string, unknown>> | undefined): void;
}

const NOWHERE: Keep = { read: () => undefined, write: () => {} };

/** What was typed into the fields of one question. */
class Typed {
  private readonly fields: Record<string, unknown> = {};
  /** Something was typed before. */
  readonly before: boolean;

  /** `anew`: nothing that was typed before counts. */
  constructor(
    private readonly keep: Keep,
    anew: boolean,
  ) {
    const kept = anew ? undefined : keep.read();
    if (isObject(kept)) this.fields = { ...kept };
    this.before = Object.keys(this.fields).length > 0;
  }

  read(field: string): unknown {
    return Object.hasOwn(this.fields, field) ? this.fields[field] : undefined;
  }

  write(field: string, value: unknown): void {
    if (value === undefined) delete this.fields[field];
    else this.fields[field] = value;
    this.keep.write(Object.keys(this.fields).length > 0 ? this.fields : undefined);
  }
}

const TypedOf = createContext<Typed | undefined>(undefined);

/** Keeps what is typed into a question's fields. `anew`: they begin with an answer that was given already. */
export function Keeping({ keep = () => NOWHERE, anew, children }: { keep?: (() => Keep) | undefined; anew: boolean; children: ReactNode }) {
  const [typed] = useState(() => new Typed(keep(), anew));
  return <TypedOf.Provider value={typed}>{children}</TypedOf.Provider>;
}

/** Whether something was typed into this question before it was shown here. */
export function useTypedBefore(): boolean {
  return useContext(TypedOf)?.before ?? false;
}

/** A field's state, which begins with what was typed into it before, if that fits. `undefined` is not kept. */
export function useTyped<T>(field: string, begin: T | (() => T), fits: (value: unknown) => value is T): [T, (value: T) => void] {
  const typed = useContext(TypedOf);
  const [value, set] = useState<T>(() => {
    const before = typed?.read(field);
    return before !== undefined && fits(before) ? before : begin instanceof Function ? begin() : begin;
  });
  const change = (to: T) => {
    set(() => to);
    typed?.write(field, to);
  };
  return [value, change];
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
export const isAnything = (_: unknown): _ is unknown => true;
