package threadlog

// Cache is what a node keeps of the logs that it reads. None of it is believed without a look
// at the log itself.
type Cache struct {
	Logs knownLogs
	Made madeEvents
}
