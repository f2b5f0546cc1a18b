"""Stands for ag_ui.encoder of ag-ui-protocol."""


class EventEncoder:
    def __init__(self, accept=None):
        pass

    def get_content_type(self):
        return "text/event-stream"

    def encode(self, event):
        return f"data: {event.json(by_alias=True, exclude_none=True)}\n\n"
