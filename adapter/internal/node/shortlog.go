package node

import (
	"context"
	"fmt"
	"log/slog"
	"unicode/utf8"
)

// Ids, names and errors quote what clients and agents send. These bound what one of
// them can make the log hold.
const (
	maxLoggedText  = 1 << 10
	maxLoggedStack = 16 << 10
	maxLoggedList  = 20
	maxLoggedName  = 64 // of a list
)

// shortHandler cuts what is long among the attributes, and says how long it was.
// The handler that it wraps deals with text that is not printable.
type shortHandler struct{ slog.Handler }

func (s shortHandler) Handle(ctx context.Context, r slog.Record) error {
	cut := false
	attrs := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		short, long := shortened(a)
		attrs, cut = append(attrs, short), cut || long
		return true
	})
	if cut {
		own := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
		own.AddAttrs(attrs...)
		r = own
	}
	return s.Handler.Handle(ctx, r)
}

func (s shortHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	short := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		short[i], _ = shortened(a)
	}
	return shortHandler{s.Handler.WithAttrs(short)}
}

func (s shortHandler) WithGroup(name string) slog.Handler {
	return shortHandler{s.Handler.WithGroup(name)}
}

// shortened is the attribute, or one in its place that is short.
func shortened(a slog.Attr) (short slog.Attr, cut bool) {
	value := a.Value.Resolve()
	text, most := "", maxLoggedText
	switch value.Kind() {
	case slog.KindString:
		text = value.String()
		if a.Key == "stack" {
			most = maxLoggedStack
		}
	case slog.KindAny:
		switch v := value.Any().(type) {
		case []string:
			return slog.Any(a.Key, ShortList(v)), true
		case error:
			text = v.Error()
		case nil:
			return a, false
		default: // what was panicked with
			return slog.String(a.Key, ShortText(fmt.Sprint(v), maxLoggedText)), true
		}
	default:
		return a, false
	}
	if len(text) <= most {
		return a, false
	}
	return slog.String(a.Key, ShortText(text, most)), true
}

func ShortList(list []string) []string {
	var short []string
	for i, name := range list {
		if i == maxLoggedList {
			return append(short, fmt.Sprintf("and %d more", len(list)-i))
		}
		short = append(short, ShortText(name, maxLoggedName))
	}
	return short
}

func ShortText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:end], len(text))
}
