package server

import "fmt"

func init() {
	nothing := func(ids) string { return "" }
	bodies["POST /v1/threads/{thread}/interrupts/{interrupt}/login"] = nothing
	bodies["DELETE /v1/logins/{provider}"] = nothing
	bodies["POST /v1/threads"] = func(i ids) string { return fmt.Sprintf(`{"threadId":"below","parentThreadId":%q}`, i.thread) }
	bodies["PATCH /v1/threads/{thread}/tree"] = func(i ids) string { return fmt.Sprintf(`{"resourceId":"of %s"}`, i.thread) }
	bodies["DELETE /v1/threads/{thread}/tree"] = nothing
	bodies["PATCH /v1/threads/{thread}"] = func(i ids) string { return fmt.Sprintf(`{"title":"of %s"}`, i.thread) }
	bodies["DELETE /v1/threads/{thread}"] = nothing
	bodies["POST /v1/threads/{thread}/input"] = func(i ids) string { return fmt.Sprintf(`{"text":"/say x","after":%q}`, i.message) }
	bodies["POST /v1/threads/{thread}/branches/{branch}/restore"] = func(ids) string { return `{}` }
	bodies["POST /v1/threads/{thread}/interrupt"] = func(ids) string { return `{"reason":"x"}` }
	bodies["POST /v1/events/{token}"] = func(i ids) string { return fmt.Sprintf(`{"thread":%q}`, i.thread) }
	bodies["POST /v1/threads/{thread}/pause"] = func(ids) string { return `{"reason":"review"}` }
	bodies["POST /v1/threads/{thread}/unpause"] = nothing
	bodies["POST /v1/threads/{thread}/runs/{run}/cancel"] = func(ids) string { return `{}` }
	bodies["POST /v1/threads/{thread}/runs/{run}/requeue"] = nothing
	bodies["POST /v1/threads/{thread}/runs/purge"] = func(ids) string { return `{"olderThan":"1h"}` }
	bodies["DELETE /v1/threads/{thread}/decisions"] = nothing
	bodies["POST /v1/threads/{thread}/interrupts/resolve"] = func(i ids) string {
		return fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"cancelled"}]}`, i.interrupt)
	}
	bodies["POST /v1/webhooks/{target}/dead/{webhook}/resend"] = nothing
	bodies["POST /v1/webhooks/{target}/enable"] = nothing
	bodies["PUT /v1/threads/{thread}/interrupts/review"] = nothing
	bodies["DELETE /v1/threads/{thread}/interrupts/review"] = nothing
	bodies["PUT /v1/threads/{thread}/interrupts/assignment"] = nothing
	bodies["DELETE /v1/threads/{thread}/interrupts/assignment"] = nothing
	bodies["PUT /v1/threads/{thread}/interrupts/{interrupt}/draft"] = func(ids) string { return `{"status":"cancelled"}` }
	bodies["DELETE /v1/threads/{thread}/interrupts/{interrupt}/draft"] = nothing
	bodies["POST /v1/inbox/resolve"] = func(i ids) string {
		return fmt.Sprintf(`{"idempotencyKey":"k","items":[{"threadId":%q,"entries":[{"interruptId":%q,"status":"cancelled"}]}]}`, i.thread, i.interrupt)
	}
}
