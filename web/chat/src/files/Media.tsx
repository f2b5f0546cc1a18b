import { Icon } from "../../../react/lib/Icon";
import { visible } from "../../../react/lib/misleading";
import { Size } from "./Files";
import { pictureOf } from "./judge";
import { fileName, type Medium } from "./media";
import { Picture } from "../markdown/Picture";
import { apart } from "../words/apart";

/** The media of a message: a picture that is in it is shown, one from elsewhere is a link, and any other file has its name and size. */
export default function Media({ media }: { media: readonly Medium[] }) {
  return (
    <ul className="media">
      {media.map((file, i) => (
        <li key={i}>
          <One file={file} />
        </li>
      ))}
    </ul>
  );
}

function One({ file }: { file: Medium }) {
  const name = fileName(file);
  const src = pictureOf(file);
  if (src !== undefined) return <img src={src} alt={visible(name ?? apart.picture)} data-testid="sent-picture" />;
  if (file.type === "image" && file.source.type === "url") return <Picture src={file.source.value} alt={name} />;
  return (
    <span className="file" data-testid="sent-file">
      <Icon name="clip" />
      <bdi>{visible(name ?? apart.unnamed)}</bdi>
      <Size file={file} />
    </span>
  );
}
