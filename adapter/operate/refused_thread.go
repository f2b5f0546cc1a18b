package operate

import "github.com/aguiws/aguiws/protocol"

// RefusedThread is the error of CreateThread for a user who has as many threads, or has sent
// as many inputs, as may be. It has CodeThreadQuota or CodeRateLimited.
type RefusedThread struct{ *protocol.RunError }

func (e RefusedThread) Error() string { return e.Message }
