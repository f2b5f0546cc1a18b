package runner

// Load is what one node carries.
type Load struct {
	Runs    int   // carried now
	MaxRuns int   // Options.MaxRuns
	Panics  int64 // contained so far, without those of agents
	// Cached is what Options.ThreadCache holds.
	Cached Cached
}

// Cached is what a node holds of threads in use.
type Cached struct {
	Threads, Bytes int64
	// Hits are reads of a thread that took what is new in it, Misses those that took all
	// of it.
	Hits, Misses int64
}
