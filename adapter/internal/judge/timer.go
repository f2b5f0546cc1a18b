package judge

import "github.com/aguiws/aguiws/protocol"

func refuseCalls(ids []string) *protocol.RunError {
	return Refuse(CodeInvalidInput, "no answer resolves these interrupts: they wait for another agent: answer what that one asks, or cancel them: "+list(ids),
		map[string]any{"interruptIds": ids})
}

func refuseTimers(ids []string) *protocol.RunError {
	return Refuse(CodeInvalidInput, "no answer resolves these interrupts: they wait for a time: wait for their expiresAt, or cancel them: "+list(ids),
		map[string]any{"interruptIds": ids})
}
