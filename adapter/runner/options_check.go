package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter"
)

func (o *Options) checkRedactions() error {
	for _, r := range slices.Concat(o.Redact, o.RedactLists) {
		if _, err := adapter.ParseRedaction(r.Pointer); err != nil || !strings.HasPrefix(r.Pointer, "/") {
			return errors.Join(fmt.Errorf("adapter: redaction %+v is none", r), err)
		}
	}
	return nil
}
