"""An agent of Pydantic AI with a tool that waits for a yes, as docs/frameworks.md shows it."""

from pathlib import Path

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.ui.ag_ui.app import AGUIApp

agent = Agent("openai:gpt-5", output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def send_mail(to: str, text: str) -> str:
    """Sends a mail."""
    with (Path(__file__).parent / "sent.log").open("a") as log:
        log.write(f"{to}: {text}\n")
    return f"Sent to {to}."


app = AGUIApp(agent)
