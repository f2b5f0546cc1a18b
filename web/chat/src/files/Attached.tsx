import { lazy, Suspense } from "react";
import { fileName, mediaIn } from "./media";
import { OrElse } from "../../../react/lib/OrElse";
import { part } from "../../../react/lib/part";

/** Loaded with the first medium. */
const Media = lazy(() => part(() => import("./Media")));

/** What a message has beside its text. */
export function Attached({ content }: { content: unknown }) {
  const media = mediaIn(content);
  if (media.length === 0) return null;
  const names = <p className="hint">{media.map((file) => fileName(file) ?? `[${file.type}]`).join(", ")}</p>;
  return (
    <OrElse instead={names}>
      <Suspense fallback={names}>
        <Media media={media} />
      </Suspense>
    </OrElse>
  );
}
