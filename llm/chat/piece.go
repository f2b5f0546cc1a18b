package chat

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol/surrogate"
)

// Piece is a piece of a text. It may begin and end with half of a character, which
// encoding/json would lose: surrogate.Half joins it with the next piece.
type Piece string

func (t *Piece) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		return json.Unmarshal(text, (*string)(t))
	}
	*t = Piece(surrogate.Unquote(text))
	return nil
}
