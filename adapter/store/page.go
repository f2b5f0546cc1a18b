package store

// PageQuery asks for one page of an index of a tenant's. If a part of the store does not
// answer, the page comes beside an error that wraps ErrPartial. Its Next is never empty
// then: it goes on with what is missing as soon as that answers, before what stands behind
// it, and fails while nothing else is left.
type PageQuery struct {
	Tenant string
	Limit  int    // 0: 50
	Cursor string // PageQuery's answer before; "": the first page
}
