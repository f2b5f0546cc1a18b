import { Component, type ReactNode } from "react";

interface Props {
  children: ReactNode;
  instead: ReactNode;
}

/** Shows something else where its children cannot be drawn: a part that did not load, a schema that is none. */
export class OrElse extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
