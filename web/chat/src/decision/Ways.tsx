/** What becomes of a question that is not said yes to. `no`: what the button says that answers no, where there is one. */
export function Ways({ no }: { no?: string }) {
  return (
    <p className="hint ways">
      {no !== undefined && `${no} is an answer: the agent is told, and goes on. `}
      Cancel gives the question up without an answer.
    </p>
  );
}
