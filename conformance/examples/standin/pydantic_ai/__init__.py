"""Stands for pydantic_ai: an agent whose model proposes one call to whoever writes."""


class DeferredToolRequests:
    pass


class Agent:
    def __init__(self, model, output_type=str):
        self.tools, self.waits = {}, DeferredToolRequests in output_type

    def tool_plain(self, requires_approval):
        assert requires_approval and self.waits

        def keep(function):
            self.tools[function.__name__] = function
            return function

        return keep
