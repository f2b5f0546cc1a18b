package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
)

// Found is what Check has found out.
type Found struct {
	// Listed says that the endpoint lists the models that it has, as most do.
	Listed bool
	// Has says that the model is among them.
	Has bool
	// Others are some of those that it has besides.
	Others []string
}

// maxOthers is how many of an endpoint's models are named.
const maxOthers = 8

// Check asks the endpoint which models it has, which costs nothing. The error says what
// to do, and holds no key.
func (a *Agent) Check(ctx context.Context) (Found, error) {
	page, err := a.models.List(ctx)
	if err != nil {
		var refused *openai.Error
		if errors.As(err, &refused) && refused.StatusCode == 404 {
			return Found{}, nil
		}
		if ctx.Err() != nil {
			return Found{}, fmt.Errorf("llm: %s does not answer", redactedURL(a.options.URL))
		}
		f := a.failureOf(err, nil)
		return Found{}, fmt.Errorf("llm: %s: %s (%s)", redactedURL(a.options.URL), f.Message, f.Detail)
	}
	f := Found{Listed: page != nil && page.JSON.Data.Valid()}
	if !f.Listed {
		return f, nil
	}
	for _, m := range page.Data {
		// Ollama's names have a tag, which is latest where none is given.
		if m.ID == a.options.Model || m.ID == a.options.Model+":latest" {
			f.Has = true
			continue
		}
		f.Others = append(f.Others, strings.ToValidUTF8(m.ID[:min(len(m.ID), 80)], ""))
	}
	slices.Sort(f.Others)
	f.Others = f.Others[:min(len(f.Others), maxOthers)]
	return f, nil
}
