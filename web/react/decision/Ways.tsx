import { useStrings } from "../lib/words.js";

/** What becomes of a question that is not said yes to. `no`: what the button says that answers no, where there is one. */
export function Ways({ no }: { no?: string }) {
  const { noIsAnAnswer, cancelGivesUp } = useStrings().decision;
  return (
    <p className="hint ways">
      {no !== undefined && `${noIsAnAnswer(no)} `}
      {cancelGivesUp}
    </p>
  );
}
