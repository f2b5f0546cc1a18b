package controlapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// The forms in which a list is exported, by their media types.
const (
	formatCSV   = "text/csv"
	formatLines = "application/x-ndjson"
)

// exportFormat is the form in which the request asks for all that there is; "": it asks for
// a page.
func exportFormat(r *http.Request) (string, error) {
	switch format := r.URL.Query().Get("format"); format {
	case "csv":
		return formatCSV, nil
	case "ndjson":
		return formatLines, nil
	case "json":
		return "", nil
	case "":
	default:
		return "", badRequest("format is csv, ndjson or json")
	}
	for _, line := range r.Header.Values("Accept") {
		for accepted := range strings.SplitSeq(line, ",") {
			kind, _, _ := strings.Cut(accepted, ";")
			switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
			case formatCSV, formatLines:
				return kind, nil
			case "application/json":
				return "", nil
			}
		}
	}
	return "", nil
}

// exportPage is how many are read at once for an export.
const exportPage = 25

// export writes all that a list of decisions has, page by page. An export that breaks off
// is no answer: the connection is cut, so that nobody takes a part for the whole. It ends
// with the credential, and when the server drains.
func (c *call) export(w http.ResponseWriter, r *http.Request, held *peer.Holding, format string) error {
	ctx, release, refused := c.Gate.Await(r.Context(), c.caller)
	if refused != nil {
		return &problem{Refusal: refused}
	}
	defer release()
	read := func(q store.DecisionQuery) (store.DecisionPage, error) {
		if err := held.Build(listed); err != nil {
			return store.DecisionPage{}, err
		}
		within, cancel := context.WithTimeout(store.WithRoom(ctx, held.Build), c.Gate.Options.CallTimeout)
		defer cancel()
		page, err := c.Record.Decisions(within, q)
		if ended, ok := errors.AsType[*refusal.Error](context.Cause(ctx)); ok && err != nil {
			err = ended
		}
		return page, err
	}
	within, cancel := context.WithTimeout(ctx, c.Gate.Options.CallTimeout)
	defer cancel()
	c.r = r.WithContext(within)
	if err := c.enter(); err != nil {
		return err
	}
	q, err := c.decisionQuery(r.URL.Query())
	if err != nil {
		return err
	}
	q.Limit = exportPage
	page, err := read(q)
	if errors.Is(err, store.ErrPartial) {
		err = errors.Join(store.ErrOutcomeUnknown, err) // a part is no export
	}
	if err == nil {
		err = c.goneThread(page, nil)
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	write := func(d decisionJSON) error { return encoder.Encode(d) }
	if format == formatCSV {
		h.Set("Content-Type", formatCSV+"; charset=utf-8")
		h.Set("Content-Disposition", `attachment; filename="decisions.csv"`)
		write = newTable(w).row
	} else {
		h.Set("Content-Type", formatLines)
		h.Set("Content-Disposition", `attachment; filename="decisions.ndjson"`)
	}
	for {
		for _, d := range page.Decisions {
			if err := write(decisionOf(d)); err != nil {
				panic(http.ErrAbortHandler) // the client has gone
			}
		}
		if page.Next == "" {
			return nil
		}
		if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			panic(http.ErrAbortHandler)
		}
		_ = held.Keep(0) // what was written is not held: this gives back, and waits for nothing
		q.Cursor = page.Next
		if page, err = read(q); err != nil {
			c.Gate.Options.Logger.Warn("an export breaks off", "operation", c.op.id, "error", err)
			panic(http.ErrAbortHandler)
		}
	}
}

// table writes CSV (RFC 4180) with each cell in quotes: a spreadsheet may take another
// sign than the comma to be between cells.
type table struct{ w io.Writer }

var columns = []string{
	"at", "status", "user", "through", "credential", "tenant", "namespace", "threadId", "interruptId", "reason", "message", "agent", "tool", "toolCallId",
	"arguments", "argumentsDigest", "payload", "cut", "askedBy", "runId", "run", "refused", "id",
}

func newTable(to http.ResponseWriter) *table {
	t := &table{to}
	_ = t.write(columns) // its error is that of the next
	return t
}

func (t *table) write(cells []string) error {
	var b []byte
	for i, text := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, strings.ReplaceAll(text, `"`, `""`)...)
		b = append(b, '"')
	}
	_, err := t.w.Write(append(b, "\r\n"...))
	return err
}

func (t *table) row(d decisionJSON) error {
	asked := ""
	if d.AskedBy != nil {
		asked = d.AskedBy.Label
	}
	cells := []string{
		d.At.Format(time.RFC3339Nano), d.Status, d.User, d.Through, d.Credential, d.Tenant, d.Namespace, d.ThreadID, d.Interrupt, d.Reason, d.Message, d.Agent, d.Tool, d.ToolCallID,
		compacted(d.Arguments), d.ArgumentsDigest, compacted(d.Payload), strings.Join(d.Cut, " "), asked, d.AnsweredBy.Label, d.AnsweredBy.ID, strconv.Itoa(d.Refused), d.ID,
	}
	for i := range cells {
		cells[i] = cell(cells[i])
	}
	return t.write(cells)
}

func compacted(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// cell is a text that no spreadsheet takes for a formula.
func cell(text string) string {
	if strings.IndexAny(strings.TrimLeft(text, " "), "=+-@\t\r\n＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}
