package copilotkit

import (
	"encoding/json"
	"net/http"

	"github.com/aguiws/aguiws/server/internal/requestbody"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// single answers the protocol's single endpoint: the same calls, each in an
// envelope that names it.
func (k *call) single() {
	body, refused := requestbody.JSON(k.w, k.r, k.config.MaxBodyBytes, k.held.Body)
	if refused != nil {
		k.refuse(refused)
		return
	}
	members, bad := strictjson.Members(body)
	if bad != nil {
		k.invalid(bad.Message)
		return
	}
	if members["method"] == nil {
		k.invalid("Missing method field")
		return
	}
	method, _ := strictjson.Text(members["method"])
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
		params, bad := strictjson.Members(p)
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
		*into, ok = strictjson.Text(data)
	}
	return ok
}

func (k *call) invalid(message string) {
	k.fail(http.StatusBadRequest, errorJSON{Error: "invalid_request", Message: message})
}
