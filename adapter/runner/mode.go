package runner

// Chosen says what a mode comes to on a store that outlives the process, or does not, and
// why, in words for who runs the server. ModeAuto comes to ModeDurable where that can be.
func (m Mode) Chosen(durable bool) (chosen Mode, why string) {
	switch {
	case m == ModeBlocking:
		return ModeBlocking, "agents wait in this process, and what waits ends with it"
	case durable:
		return ModeDurable, "the store outlives the process: what waits goes on from its journal, in any process that serves its agent"
	default:
		return ModeAuto, "the store dies with the process: what waits goes on from its journal for as long as that lives"
	}
}
