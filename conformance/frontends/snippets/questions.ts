// In an application it is questions.tsx of examples/copilotkit.

export { Questions } from "./decisions-copilotkit";
