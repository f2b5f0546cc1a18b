package frames

import (
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// AppendEventID appends a position as the id of an event.
func AppendEventID(b []byte, at store.Position) []byte {
	return strconv.AppendInt(append(append(b, at.Epoch...), ':'), at.Seq, 10)
}

// ParseEventID reads what AppendEventID wrote.
func ParseEventID(id string) (*store.Position, bool) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 || !strictjson.IsName(id[:i]) {
		return nil, false
	}
	seq, err := strconv.ParseUint(id[i+1:], 10, 63)
	if err != nil {
		return nil, false
	}
	return &store.Position{Epoch: id[:i], Seq: int64(seq)}, true
}
