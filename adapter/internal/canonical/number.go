package canonical

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"

	"github.com/aguiws/aguiws/protocol/number"
)

// exactly writes a number as RFC 8785 does, or by its decimal value if RFC 8785 would give it
// another one.
func exactly(out, literal []byte) ([]byte, error) {
	text, beyond, err := beyondDouble(string(literal))
	switch {
	case err != nil:
		return nil, err
	case beyond:
		return append(out, text...), nil
	}
	return asDouble(out, literal)
}

// asDouble writes a number as RFC 8785 does.
func asDouble(out, literal []byte) ([]byte, error) {
	double, err := strconv.ParseFloat(string(literal), 64)
	if err != nil {
		return nil, err
	}
	text, err := jcs.NumberToJSON(double)
	return append(out, text...), err
}

// asDoubleOrNull writes what a reader of doubles has of a number.
func asDoubleOrNull(out, literal []byte) ([]byte, error) {
	if written, err := asDouble(out, literal); err == nil {
		return written, nil
	}
	return append(out, "null"...), nil
}

// maxPlain is how many characters a number without an exponent may have that needs no
// look: no two decimals of 15 digits share a double.
const maxPlain = 15

// beyondDouble reports whether the nearest double is written with another decimal
// value than the number has, and the text of that value.
func beyondDouble(literal string) (text string, beyond bool, err error) {
	if len(literal) <= maxPlain && !strings.ContainsAny(literal, "eE") {
		return "", false, nil
	}
	double, outside := strconv.ParseFloat(literal, 64)
	if size := math.Abs(double); outside == nil && size >= 1e-6 && size < 1e21 {
		var written [32]byte
		if string(strconv.AppendFloat(written[:0], double, 'f', -1, 64)) == literal {
			return "", false, nil // as most writers of JSON write a double
		}
	}
	text, ok := number.Exact(literal)
	if !ok {
		return "", false, fmt.Errorf("the exponent of %.40s is too large", literal)
	}
	if outside != nil {
		return text, true, nil
	}
	written, _ := number.Exact(strconv.FormatFloat(double, 'e', -1, 64))
	return text, written != text, nil
}
