package refusal

// Codes of refusals, as docs/binding/codes.md lists them. Those of runs that may not
// start come from the runner, except for the ones here.
const (
	CodeDraining       = "server_draining"
	CodeForbidden      = "forbidden"
	CodeInvalidFrame   = "invalid_frame"
	CodeInvalidInput   = "invalid_input"
	CodeMalformed      = "malformed_frame"
	CodeOverloaded     = "overloaded"
	CodeRateLimited    = "rate_limited"
	CodeStore          = "store_unavailable"
	CodeTooManySockets = "too_many_sockets"
	CodeTooManyThreads = "too_many_threads"
)
