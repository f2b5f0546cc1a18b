package copilotkit

import "encoding/json"

// run answers an input with its run, as POST /agui does.
func (k *call) run() {
	k.stream(func(agent string, out Stream) {
		if asksForSuggestions(out.Input()) {
			k.offer(agent, out)
			return
		}
		in := out.Input()
		told := dialectOf(in)
		var again func([]json.RawMessage) ([][]byte, error)
		if told.event && answersByCommand(in) {
			again = func(open []json.RawMessage) ([][]byte, error) { return askAgain(in.ThreadID, in.RunID, open) }
		}
		out.Run(told.tell, again)
	})
}
