package copilotkit

// run answers an input with its run, as POST /agui does.
func (k *call) run() {
	k.stream(func(agent string, out Stream) {
		if asksForSuggestions(out.Input()) {
			k.offer(agent, out)
			return
		}
		out.Run()
	})
}
