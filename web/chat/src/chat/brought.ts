// Files that are brought to the chat: picked, pasted, or dropped anywhere on the page.

import { useEffect, useState } from "react";

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;

/** The files of a paste. What is both text and a picture of it, as cells of a table are, is text. */
export function pastedFiles({ types, files }: Pick<DataTransfer, "types" | "files">): readonly File[] {
  return types.includes("text/plain") && types.includes("text/html") ? [] : [...files];
}

export interface Brought {
  files: readonly File[];
  bring: (files: Iterable<File>) => void;
  seen: (files: readonly File[]) => void;
  /** Something is dragged over the page. */
  over: boolean;
}

/** What was brought and nobody has looked at. `active`: files can be dropped. */
export function useBrought(active: boolean): Brought {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [over, setOver] = useState(false);
  const bring = (more: Iterable<File>) => {
    const list = [...more]; // what an event holds is gone with it
    setFiles((now) => [...now, ...list]);
  };
  const seen = (looked: readonly File[]) => setFiles((now) => now.filter((file) => !looked.includes(file)));
  useEffect(() => {
    if (!active) return;
    const away = new AbortController();
    const on = (type: "dragover" | "dragleave" | "drop", act: (event: DragEvent) => void) => addEventListener(type, (event) => hasFiles(event) && act(event), away);
    on("dragover", (event) => {
      // Without it the browser would leave the page for the file.
      event.preventDefault();
      setOver(true);
    });
    on("dragleave", ({ relatedTarget }) => relatedTarget || setOver(false));
    on("drop", (event) => {
      event.preventDefault();
      setOver(false);
      bring(event.dataTransfer!.files);
    });
    return () => away.abort();
  }, [active]);
  return { files, bring, seen, over };
}
