package server

import (
	"encoding/json"
	"net/http"
)

// single answers the protocol's single endpoint: the same calls, each in an
// envelope that names it.
func (k *copilotCall) single() {
	body, refused := k.srv.readJSON(k.w, k.r)
	if refused != nil {
		k.refuse(refused)
		return
	}
	members, bad := topMembers(body)
	if bad != nil {
		k.invalid(bad.message)
		return
	}
	if members["method"] == nil {
		k.invalid("Missing method field")
		return
	}
	method, _ := text(members["method"])
	serve, known := map[string]func(){
		"info":          k.info,
		"agent/run":     k.run,
		"agent/connect": k.connect,
		"agent/suggest": k.suggest,
		"agent/stop":    k.stop,
	}[method]
	if !known {
		k.invalid("Unsupported method '" + method + "'")
		return
	}
	var params struct{ AgentID, ThreadID string }
	if p := members["params"]; p != nil && json.Unmarshal(p, &params) != nil {
		k.invalid("params must be an object of strings")
		return
	}
	k.agent, k.thread = params.AgentID, params.ThreadID
	// Not nil, or the envelope would be taken for it.
	k.body = append([]byte{}, members["body"]...)
	serve()
}

func (k *copilotCall) invalid(message string) {
	k.fail(http.StatusBadRequest, copilotError{Error: "invalid_request", Message: message})
}
