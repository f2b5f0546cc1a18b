package cli

// checking is what check alone can be told.
type checking struct{ credential string }

func (c *checking) table() []setting {
	return []setting{
		{"jwt", "Checking", textValue{&c.credential, "file"}, "with a token in it: check says whom it stands for, or why it is refused"},
	}
}

// checkMessage is what check says to an upstream. The agent decides what it makes of that.
const checkMessage = "This is a test of the connection. Answer with one word, and use no tools."

// recording is what record alone can be told.
type recording struct{ message, input, out string }

func (c *recording) table() []setting {
	return []setting{
		{"message", "Recording", textValue{&c.message, "text"}, "what the upstream is told, by check too"},
		{"input", "Recording", textValue{&c.input, "file"}, "the whole input (RunAgentInput) in its place, sent as it is: one that answers an interrupt, say"},
		{"out", "Recording", textValue{&c.out, "name"}, "of the recording: NAME`.request.json` is what was sent, and NAME`.sse` what came. They must not be there yet"},
	}
}
