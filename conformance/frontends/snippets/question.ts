// In an application it is question.tsx of examples/copilotkit.

export { Questions } from "./decisions-copilotkit";
