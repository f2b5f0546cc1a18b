package cli

// checking is what check alone can be told.
type checking struct{ credential string }

func (c *checking) table() []setting {
	return []setting{
		{"jwt", "Checking", textValue{&c.credential, "file"}, "file with a token: check says whom it stands for, or why it is refused"},
	}
}

// checkMessage is what check says to an upstream. The agent decides what it makes of that.
const checkMessage = "This is a test of the connection. Answer with one word, and use no tools."

// recording is what record alone can be told.
type recording struct{ message, input, out string }

func (c *recording) table() []setting {
	return []setting{
		{"message", "Recording", textValue{&c.message, "text"}, "text for the upstream, which check sends too"},
		{"input", "Recording", textValue{&c.input, "file"}, "a whole input (RunAgentInput) in place of the message, sent as it is, such as one that answers an interrupt"},
		{"out", "Recording", textValue{&c.out, "name"}, "name of the recording: NAME`.request.json` is what was sent, and NAME`.sse` what came. Neither file may exist yet"},
	}
}
