package store

import "time"

// NodeTold is what a node has told the others of itself.
type NodeTold struct {
	Node  string // its id, as Reader.Node names it
	About []byte
	Age   time.Duration // by the store's clock
}

// Server is one of the servers that a store consists of, as it describes itself.
type Server struct {
	Address  string // "": it is inside this process
	Version  string
	Latency  time.Duration // of one question, just now
	Uptime   time.Duration // 0: it does not say
	Memory   int64         // bytes in use; 0: it does not say
	Limit    int64         // of them; 0: there is none
	Clients  int64
	Replicas int64
	PerSec   int64 // commands a second
	Warnings []ServerWarning
}

// ServerWarning is a setting or a state under which a server may lose what it
// acknowledged.
type ServerWarning struct{ Setting, Value, Problem string }
