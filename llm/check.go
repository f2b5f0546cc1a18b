package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/aguiws/aguiws/llm/chat"
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
	ids, listed, err := a.endpoint.Models(ctx)
	var refused *chat.Error
	if errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound {
		return Found{}, nil
	}
	if err != nil {
		return Found{}, fmt.Errorf("llm: %s %s", redactedURL(a.options.URL), a.scrub(a.found(ctx, err)))
	}
	f := Found{Listed: listed}
	if !f.Listed {
		return f, nil
	}
	for _, id := range ids {
		// Ollama's names have a tag, which is latest where none is given.
		if id == a.options.Model || id == a.options.Model+":latest" {
			f.Has = true
			continue
		}
		f.Others = append(f.Others, a.cut(id, 80))
	}
	slices.Sort(f.Others)
	f.Others = f.Others[:min(len(f.Others), maxOthers)]
	return f, nil
}

// found words what is wrong with an endpoint, for whoever sets its address.
func (a *Agent) found(ctx context.Context, err error) string {
	var refused *chat.Error
	var unreached *url.Error
	switch {
	case ctx.Err() != nil:
		return "does not answer in time"
	case errors.As(err, &refused) && (refused.StatusCode == http.StatusUnauthorized || refused.StatusCode == http.StatusForbidden):
		return fmt.Sprintf("does not take the key (%d)", refused.StatusCode)
	case errors.As(err, &refused):
		return fmt.Sprintf("answers by %d %s: %s", refused.StatusCode, http.StatusText(refused.StatusCode), a.quote(refused.Message))
	case errors.As(err, &unreached):
		return "cannot be reached: " + unreached.Err.Error()
	}
	return "is no endpoint of OpenAI's kind, whose address mostly ends in /v1: " + err.Error()
}
