package controlapi

import (
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
)

// listOf is a page of a list.
type listOf[T any] struct {
	Items   []T    `json:"items"`
	Next    string `json:"next,omitempty" jsonschema:"The cursor of the next page. The last page has none."`
	Partial bool   `json:"partial,omitempty" jsonschema:"A part of the store does not answer, and items may be missing. They come on the next page after it answers again."`
}

func pageOf[From, To any](items []From, next string, err error, as func(From) To) (any, error) {
	page := listOf[To]{Items: make([]To, len(items)), Next: next}
	for i, item := range items {
		page.Items[i] = as(item)
	}
	page.Partial, err = partly(err)
	return page, err
}

// partly reports whether an error only says that an answer is not the whole one. Any
// other is returned.
func partly(err error) (bool, error) {
	if errors.Is(err, store.ErrPartial) {
		return true, nil
	}
	return false, err
}

// maxPage bounds a page; more is refused rather than cut.
const maxPage = 200

func (c *call) page() (store.PageQuery, error) {
	limit, err := c.number("limit", maxPage)
	q := c.r.URL.Query()
	return store.PageQuery{Tenant: c.caller.Identity.Tenant, Limit: limit, Cursor: q.Get("cursor")}, err
}

var pageParameters = []parameter{
	{"limit", "The number of items in a page, at most 200. The default is 50."},
	{"cursor", "The value of next in the previous page."},
}

// listed is what a list of things that may be large is made of, as far as is known before
// it was read.
const listed = 4 << 20
