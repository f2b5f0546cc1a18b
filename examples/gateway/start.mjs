import { fileURLToPath } from "node:url";
import { front } from "../behind.mjs";

const ledger = process.env.LEDGER ? [process.env.LEDGER] : [];
front([fileURLToPath(new URL("agent.mjs", import.meta.url)), "0", ...ledger], {}, { name: "clerk", dialect: "mastra" });
