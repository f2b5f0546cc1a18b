// How much a text is, and which.

import { useEffect, useState } from "react";
import { ENGLISH, type Strings } from "./strings.js";

const ENCODER = new TextEncoder();

/** The length of a text in UTF-8. */
export function bytesOf(text: string): number {
  return ENCODER.encode(text).length;
}

/** A number of bytes in words. */
export function sizeWords(bytes: number, { text, locale }: Pick<Strings, "text" | "locale"> = ENGLISH): string {
  if (bytes < 1 << 10) return text.bytes(`${bytes}`);
  const of = (unit: number) => (bytes / unit).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false });
  if (bytes < 1 << 20) return `${of(1 << 10)} KiB`;
  return bytes < 1 << 30 ? `${of(1 << 20)} MiB` : `${of(1 << 30)} GiB`;
}

/** The SHA-256 of a text's UTF-8 in hexadecimal digits; null where the browser computes none. */
export async function digestOf(text: string): Promise<string | null> {
  // Without a secure context there is none.
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return null;
  const sum = new Uint8Array(await subtle.digest("SHA-256", ENCODER.encode(text)));
  return [...sum].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The digest, or undefined until it is known. */
export function useDigest(text: string): string | null | undefined {
  const [known, know] = useState<{ text: string; digest: string | null }>();
  useEffect(() => {
    let over = false;
    void digestOf(text).then((digest) => {
      if (!over) know({ text, digest });
    });
    return () => {
      over = true;
    };
  }, [text]);
  return known?.text === text ? known.digest : undefined;
}
