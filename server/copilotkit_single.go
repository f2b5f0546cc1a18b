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
	if p := members["params"]; p != nil && string(p) != "null" {
		params, bad := topMembers(p)
		if bad != nil || !optionalText(params["agentId"], &k.agent) || !optionalText(params["threadId"], &k.thread) {
			k.invalid("params must be an object of strings")
			return
		}
	}
	// Not nil, or the envelope would be taken for it.
	k.body = append([]byte{}, members["body"]...)
	serve()
}

func optionalText(data json.RawMessage, into *string) (ok bool) {
	if ok = data == nil || string(data) == "null"; !ok {
		*into, ok = text(data)
	}
	return ok
}

func (k *copilotCall) invalid(message string) {
	k.fail(http.StatusBadRequest, copilotError{Error: "invalid_request", Message: message})
}
