import { useEffect, useRef, useState, type RefObject } from "react";
import type { Hello } from "../../../client/frames";
import { Icon } from "../../../react/lib/Icon";
import { visible } from "../../../react/lib/misleading";
import { sizeWords } from "../../../react/lib/size";
import { acceptOf, mediumOf, pictureOf, refusal, roomIn, sizeOf, type Why } from "./judge";
import { fileName, type Medium } from "./media";
import { takenOf } from "./takes";
import { locale, parts } from "../words";
import { apart } from "../words/apart";

interface Props {
  hello: Hello;
  /** What is attached. */
  files: readonly Medium[];
  change: (update: (files: readonly Medium[]) => readonly Medium[]) => void;
  /** Files that are to be attached, and have not been looked at. */
  brought: readonly File[];
  bring: (files: Iterable<File>) => void;
  /** These have been looked at. */
  seen: (files: readonly File[]) => void;
  /** Something is dragged over the chat. */
  over: boolean;
  /** How often something was sent from here. */
  sent: number;
  field: RefObject<HTMLTextAreaElement | null>;
}

/** What is attached to the message that is being written, and the ways to attach more. */
export default function Files({ hello, files, change, brought, bring, seen, over, sent, field }: Props) {
  const takes = hello.capabilities?.multimodal?.input;
  const taken = takenOf(takes);
  const [faults, tell] = useState<readonly string[]>([]);
  const list = useRef<HTMLUListElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const attached = useRef(files);
  attached.current = files;
  useEffect(() => tell([]), [sent]);
  useEffect(() => {
    if (brought.length === 0) return;
    let over = false;
    const room = roomIn(hello.maxFrameBytes);
    const look = async () => {
      let left = attached.current.reduce((rest, file) => rest - (sizeOf(file) ?? 0), room);
      const media: Medium[] = [];
      const said = new Set<string>();
      for (const file of brought) {
        const why = refusal(file, takes, room, left);
        const url = why ? undefined : await urlOf(file);
        if (why) said.add(refusalWords(file.name, why, taken, room));
        else if (url === undefined) said.add(apart.notRead(visible(file.name)));
        else {
          media.push(mediumOf(file, takes, url));
          left -= file.size;
        }
      }
      if (over) return;
      tell([...said]);
      if (media.length > 0) change((now) => [...now, ...media]);
      seen(brought);
      field.current?.focus({ preventScroll: true });
    };
    void look();
    return () => {
      over = true;
    };
  }, [brought]);
  const remove = (index: number) => {
    change((now) => now.filter((_, i) => i !== index));
    tell([]);
    // The button that was pressed is gone: the next one stands in its place.
    const buttons = list.current?.querySelectorAll("button") ?? [];
    (buttons[index + 1] ?? buttons[index - 1] ?? field.current)?.focus();
  };
  return (
    <>
      {over && (
        <div className="dropping" data-testid="dropping">
          <p>{taken.length > 0 ? apart.dropHere : apart.refused.agent()}</p>
        </div>
      )}
      {files.length > 0 && (
        <ul ref={list} className="files" aria-label={apart.attached} data-testid="files">
          {files.map((file, i) => {
            const name = visible(fileName(file) ?? apart.unnamed);
            return (
              <li key={i} data-testid="file">
                <Thumbnail file={file} />
                <span className="named">
                  <bdi title={name}>{name}</bdi>
                  <Size file={file} />
                </span>
                <button type="button" className="quiet" data-edits data-testid="remove-file" aria-label={apart.removeFile(name)} title={apart.removeFile(name)} onClick={() => remove(i)}>
                  <Icon name="close" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {faults.length > 0 && (
        <div className="files-refused" role="alert" data-testid="files-refused">
          {faults.map((fault) => (
            <p key={fault} className="fault">
              {fault}
            </p>
          ))}
        </div>
      )}
      <p className="visually-hidden" role="status">
        {files.length > 0 && apart.filesAttached(files.length)}
      </p>
      {taken.length > 0 && (
        <>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            accept={acceptOf(takes)}
            data-testid="pick-files"
            onChange={({ target }) => {
              bring(target.files ?? []);
              // The same file can be picked again.
              target.value = "";
            }}
          />
          <button type="button" className="quiet attach" data-edits data-testid="attach" aria-label={apart.attach} title={apart.attach} onClick={() => picker.current?.click()}>
            <Icon name="clip" />
          </button>
        </>
      )}
    </>
  );
}

/** A picture in little, or the sign of a file. */
function Thumbnail({ file }: { file: Medium }) {
  const src = pictureOf(file);
  return src === undefined ? <Icon name="clip" /> : <img src={src} alt="" />;
}

/** How much a file is, where that is known. */
export function Size({ file }: { file: Medium }) {
  const size = sizeOf(file);
  return size === undefined ? null : <span className="hint">{sizeWords(size, parts)}</span>;
}

function refusalWords(name: string, why: Why, taken: ReturnType<typeof takenOf>, room: number): string {
  const kinds = new Intl.ListFormat(locale, { type: "conjunction" }).format(taken.map((kind) => apart.takes[kind]));
  return apart.refused[why](visible(name), kinds, sizeWords(room, parts));
}

/** The bytes of a file as a data: URL; undefined where they cannot be read. */
function urlOf(file: File): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => resolve(undefined);
    reader.readAsDataURL(file);
  });
}
