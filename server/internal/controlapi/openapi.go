package controlapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguiws/aguiws/server/identity"
)

type object = map[string]any

var (
	pathValue = regexp.MustCompile(`\{(\w+)\}`)

	// plainSchemas say what Go's types do not, and typeSchemas also which of them have a name.
	plainSchemas = map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[eventJSON]():       {Description: "Any JSON value that fits the schema of the event."},
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
	}
	typeSchemas = threadSchemas()
)

// openAPI describes the operations as OpenAPI 3.1. Bodies and answers are
// derived from the types that are read and written.
func openAPI(operations []operation) []byte {
	paths := object{}
	for _, op := range operations {
		path := "/v1" + op.path
		item, ok := paths[path].(object)
		if !ok {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(op.method)] = op.describe()
	}
	document := object{
		"openapi": "3.1.0",
		"info": object{"title": "aguiws control API", "version": "1", "license": object{"name": "MIT", "identifier": "MIT"},
			"description": "Threads, runs, dispatches and the inbox. A caller reaches the threads of its own namespace. With the scope that an " +
				"operation names it also reaches those of its tenant in other namespaces. The server answers about a thread that a caller may not see as about one that does not exist."},
		"paths": paths,
		"components": object{
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}},
			"schemas":         object{"problem": problemSchema, threadSchema: namedSchema(reflect.TypeFor[threadJSON]())},
			"headers":         object{"retry": object{"description": "The number of seconds after which the caller may send the request again.", "schema": object{"type": "integer"}}},
		},
		"security": []object{{"bearer": []string{}}},
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Errorf("controlapi: OpenAPI: %w", err)) // it is made of literals and types
	}
	return text
}

var problemSchema = object{
	"type": "object", "description": "A problem of RFC 9457. Further members are details of the code.",
	"required": []string{"type", "title", "status", "code", "detail"},
	"properties": object{
		"type": object{"type": "string"}, "title": object{"type": "string"}, "status": object{"type": "integer"},
		"code": object{"type": "string"}, "detail": object{"type": "string"},
	},
}

func (o *operation) describe() object {
	parameters := []object{}
	for _, name := range pathValue.FindAllStringSubmatch(o.path, -1) {
		parameters = append(parameters, object{"name": name[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range o.parameters() {
		parameters = append(parameters, object{"name": p.name, "in": "query", "description": p.about, "schema": object{"type": "string"}})
	}
	about := "Needs " + anyOf(o.home()) + "."
	switch {
	case o.byToken:
		about = "Needs the token in its path, and no other credential."
	case o.whoever:
		about = "Needs a credential, of whatever scopes."
	}
	if o.beyond != "" && o.ofThread() {
		about += " In other namespaces of the tenant it needs " + anyOf(o.away()) + "."
	}
	if o.readRun {
		about += " In the caller's own namespace the scopes " + identity.ScopeRead + " and " + identity.ScopeRun + " together are enough."
	}
	if o.notes != "" {
		about += " " + o.notes
	}
	success := object{"description": http.StatusText(o.status) + "."}
	if o.answer != nil {
		success["content"] = jsonContent(o.answer, o.blind)
	}
	if o.bytes {
		success["content"] = object{"*/*": object{}}
		parameters = append(parameters, object{"name": "Range", "in": "header", "description": "One range of bytes.", "schema": object{"type": "string"}})
	}
	described := object{
		"operationId": o.id, "summary": o.summary, "description": about, "parameters": parameters,
		"responses": object{
			strconv.Itoa(o.status): success,
			"429":                  laterResponse("The caller sends too many requests. " + o.rate()),
			"503":                  laterResponse("The server or its store is not available. The outcome may be unknown, and the caller may safely send the same request again."),
			"default":              errorResponse("An error."),
		},
	}
	if o.bytes {
		responses := described["responses"].(object)
		responses["206"] = object{"description": "The range of bytes.", "content": object{"*/*": object{}}}
		responses["304"] = object{"description": "The payload is the one that If-None-Match names."}
		responses["410"] = errorResponse("The payload has expired.")
		responses["416"] = object{"description": "The payload has no such range."}
	}
	if o.byToken {
		described["security"] = []object{}
		responses := described["responses"].(object)
		responses["404"] = errorResponse("No server of this store has made the token.")
		responses["409"] = errorResponse("Another body was sent before, and it stays.")
		responses["410"] = errorResponse("The wait for the event has ended otherwise.")
		responses["413"] = errorResponse("The body has more than 1 MiB.")
		responses["422"] = errorResponse("The body does not fit the schema of the event. The run still waits.")
		responses["425"] = laterResponse("The run does not wait for the event yet. The caller sends the same request again.")
	}
	if o.body != nil {
		described["requestBody"] = object{"required": true, "content": jsonContent(o.body, nil)}
	}
	return described
}

// rate says what counts.
func (o *operation) rate() string {
	if o.byToken {
		return "Each call counts as a request of the caller's address."
	}
	if o.admits {
		return "Each call counts as a request and as one of the user's inputs."
	}
	return "Each call counts as a request."
}

func errorResponse(about string) object {
	return object{"description": about, "content": object{"application/problem+json": object{
		"schema": object{"$ref": "#/components/schemas/problem"}}}}
}

func laterResponse(about string) object {
	response := errorResponse(about)
	response["headers"] = object{"Retry-After": object{"$ref": "#/components/headers/retry"}}
	return response
}

// jsonContent describes a value of one type, or of another one if that is not nil.
func jsonContent(of, or any) object {
	schema := schemaOf(reflect.TypeOf(of), typeSchemas)
	if or != nil {
		schema = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema, schemaOf(reflect.TypeOf(or), typeSchemas)}}
	}
	return object{"application/json": object{"schema": schema}}
}

func schemaOf(t reflect.Type, special map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	schema, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: special})
	if err != nil {
		panic(fmt.Errorf("controlapi: OpenAPI: %s: %w", t, err)) // a type of this package
	}
	return schema
}

// namedSchema is one that others refer to. They say that nothing else is in it.
func namedSchema(t reflect.Type) *jsonschema.Schema {
	schema := schemaOf(t, plainSchemas)
	schema.AdditionalProperties = nil
	return schema
}
