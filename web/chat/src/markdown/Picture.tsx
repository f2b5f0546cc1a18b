import { useState } from "react";
import { visible } from "../../../react/lib/misleading";
import { apart } from "../words/apart";

/** Pictures that are in the text itself tell nobody that they are looked at. */
const WITHIN = /^data:image\/(png|jpeg|gif|webp|avif);base64,/i;

/** A picture in an agent's text: shown when somebody asks for it, and one from elsewhere in a tab of its own. */
export function Picture({ src, alt }: { src?: string; alt?: string }) {
  const [shown, show] = useState(false);
  const name = <bdi>{visible(alt || apart.noDescription)}</bdi>;
  if (src && WITHIN.test(src)) {
    if (shown) return <img src={src} alt={visible(alt ?? "")} data-testid="picture" />;
    return (
      <button type="button" className="picture" data-testid="show-picture" onClick={() => show(true)}>
        {apart.showPicture} {name}
      </button>
    );
  }
  const host = hostOf(src);
  if (host === undefined) return <span className="hint">[{apart.picture}: {name}]</span>;
  return (
    <a className="picture" data-testid="open-picture" href={src} target="_blank" rel="noopener noreferrer nofollow">
      {apart.openPicture} {name} <span className="hint">({host})</span>
    </a>
  );
}

export function hostOf(src: string | undefined): string | undefined {
  if (!src || !URL.canParse(src)) return undefined;
  const { protocol, host } = new URL(src);
  return protocol === "https:" || protocol === "http:" ? host : undefined;
}
