package execution

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

// inputDigest tells a step's input apart from others; "" of none.
func inputDigest(input any) (string, error) {
	if input == nil {
		return "", nil
	}
	text, err := json.Marshal(input)
	if err != nil {
		return "", fmt.Errorf("its input: %w", err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return "", fmt.Errorf("its input: %w", err)
	}
	if text, err = json.Marshal(exact(tree)); err != nil {
		return "", fmt.Errorf("its input: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// exact is a decoded value with numbers that a double tells written alike, and others
// as they are: a digit may be another payee.
func exact(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = exact(v[name])
		}
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case json.Number:
		return exactNumber(v)
	}
	return value
}

// floatDigits is how many digits a number may have to be told by its float64.
const floatDigits = 15

func exactNumber(n json.Number) any {
	mantissa, _, _ := strings.Cut(strings.ToLower(n.String()), "e")
	digits := strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0")
	f, err := n.Float64()
	switch {
	case digits == "":
		return 0
	case err != nil || f == 0 || len(digits) > floatDigits:
		return n
	}
	return f
}

// maxAbout bounds the arguments that are kept of what a step is about, in bytes.
const maxAbout = 4 << 10

// aboutOf is what the journal keeps of what a step is about.
func aboutOf(about *store.StepAbout) *store.StepAbout {
	if about == nil || len(about.Args) <= maxAbout && json.Valid(about.Args) {
		return about
	}
	kept := *about
	kept.Args = nil
	return &kept
}
