package redisstore

// largeMark tells the scripts that an event is large. They keep it out of the
// list that is the log, whose other events are read in passing it by.
const largeMark = "\x00"

// large reports whether an event is stored beside the log. No JSON begins with the
// mark; what does is taken for large, so that it comes back whole.
func (s *connection) large(e []byte) bool {
	return len(e) > s.opts.LargeEvent || len(e) > 0 && e[0] == largeMark[0]
}

// appendEvents adds events as a script gets them.
func (s *connection) appendEvents(args []any, events [][]byte) []any {
	for _, e := range events {
		if s.large(e) {
			e = append([]byte(largeMark), e...)
		}
		args = append(args, e)
	}
	return args
}
