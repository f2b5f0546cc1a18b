package node

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/stored"
)

// MaxHeaderBytes bounds Input.Headers, names and values.
const MaxHeaderBytes = 16 << 10

// HeadersFor are those that an agent gets. Names are in lower case.
func (o *Settings) HeadersFor(agent string, headers map[string]string) map[string]string {
	if own, said := o.HeadersBy[agent]; said {
		maps.DeleteFunc(headers, func(name, _ string) bool {
			return !slices.ContainsFunc(own, func(n string) bool { return strings.EqualFold(n, name) })
		})
	}
	return headers
}

func SizeOfHeaders(headers map[string]string) (n int) {
	for name, value := range headers {
		n += len(name) + len(value)
	}
	return n
}

func LowerCase(headers map[string]string) map[string]string {
	if len(headers) == 0 {
		return nil
	}
	lower := make(map[string]string, len(headers))
	for name, value := range headers {
		lower[strings.ToLower(name)] = value
	}
	return lower
}

// HeadersOf are headers as they are stored; nil: there are none.
func HeadersOf(headers map[string]string) (json.RawMessage, error) {
	if len(headers) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(headers)
	if err != nil {
		return nil, fmt.Errorf("adapter: headers: %w", err)
	}
	return text, nil
}

// HeadersIn reads what HeadersOf made.
func HeadersIn(text json.RawMessage) (headers map[string]string, err error) {
	if text == nil {
		return nil, nil
	}
	return headers, stored.Decode(text, &headers, "the headers of a run")
}
