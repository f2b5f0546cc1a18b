package store

// PageQuery asks for one page of an index. Where a part of the store does not
// answer, the page comes beside an error that wraps ErrPartial. Its Next is never
// empty then: it goes on with what is missing as soon as that answers, before what
// stands behind it, and fails while nothing else is left.
type PageQuery struct {
	Tenant string
	Reason string // Inbox only; "": any
	Limit  int    // 0: 50
	Cursor string // PageQuery's answer before; "": the first page
}
