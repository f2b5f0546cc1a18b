package adapter

// Headers are what went along with the input of the run that carries the execution now
// (Input.Headers), by names in lower case: of an answer's run the answer's. There are none of
// a run that a time which ran out or a link has begun, or a server that does not know them
// has handed on. They are not the same in a replay, so no path may depend on them, and
// nothing made of them belongs in a step's result, an event or a log.
func (r *Run) Headers() map[string]string { return r.x.Headers() }
