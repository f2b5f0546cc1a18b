import { createRoot } from "react-dom/client";
import { Chat } from "./chat";
import { useThread } from "./thread";

function Page() {
  const { connection } = useThread().status;
  return (
    <main>
      {connection !== "connected" && <p role="status">The server does not answer yet: {connection}.</p>}
      <Chat />
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<Page />);
