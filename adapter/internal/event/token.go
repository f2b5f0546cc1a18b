// Package event makes the tokens of the events that runs wait for, and reads them.
package event

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/store"
)

// Wait is what a token is of: an execution's wait for an event, by its key in the journal.
type Wait struct {
	Thread    store.ThreadKey
	Execution string
	Key       string
}

// MaxToken is how long a token may be, in bytes: namespace and thread have 1 KiB each.
const MaxToken = 4096

// macSize is how much of a token is the signature.
const macSize = 16

// version begins what is signed.
const version = 1

var encoding = base64.RawURLEncoding.Strict()

// Interrupt is the id of the interrupt by which the execution waits.
func (w Wait) Interrupt() string {
	return uuid.NewSHA1(uuid.Nil, fields(w.Execution, w.Key)).String()
}

// Token is the same whenever it is made of the same wait. It is signed by HMAC-SHA256, and
// what it is of is encrypted under the signature, as RFC 5297 does it: who is handed a token
// learns nothing of the thread.
func (w Wait) Token(secret []byte) string {
	mac, block := keys(secret)
	text := append([]byte{version}, fields(w.Thread.Namespace, w.Thread.Thread, w.Execution, w.Key)...)
	token := append(mac(text), text...)
	cipher.NewCTR(block, token[:macSize]).XORKeyStream(token[macSize:], text)
	return encoding.EncodeToString(token)
}

// Open reads a token; false: it is none that was made with the secret.
func Open(secret []byte, token string) (Wait, bool) {
	if len(token) > MaxToken {
		return Wait{}, false
	}
	data, err := encoding.DecodeString(token)
	if err != nil || len(data) <= macSize {
		return Wait{}, false
	}
	mac, block := keys(secret)
	text := make([]byte, len(data)-macSize)
	cipher.NewCTR(block, data[:macSize]).XORKeyStream(text, data[macSize:])
	if !hmac.Equal(data[:macSize], mac(text)) || text[0] != version {
		return Wait{}, false
	}
	list, ok := read(text[1:])
	if !ok || len(list) != 4 {
		return Wait{}, false
	}
	return Wait{store.ThreadKey{Namespace: list[0], Thread: list[1]}, list[2], list[3]}, true
}

// keys derives the two keys of tokens from a secret.
func keys(secret []byte) (mac func([]byte) []byte, block cipher.Block) {
	derived, err := hkdf.Key(sha256.New, secret, nil, "aguiws event tokens", 64)
	if err == nil {
		block, err = aes.NewCipher(derived[32:])
	}
	if err != nil {
		panic("event: " + err.Error()) // the lengths are right
	}
	return func(text []byte) []byte {
		h := hmac.New(sha256.New, derived[:32])
		h.Write(text)
		return h.Sum(nil)[:macSize]
	}, block
}

// fields writes texts so that no other texts are written the same.
func fields(texts ...string) (data []byte) {
	for _, text := range texts {
		data = append(binary.AppendUvarint(data, uint64(len(text))), text...)
	}
	return data
}

func read(data []byte) (texts []string, ok bool) {
	for len(data) > 0 {
		n, used := binary.Uvarint(data)
		if used <= 0 || n > uint64(len(data)-used) {
			return nil, false
		}
		texts = append(texts, string(data[used:used+int(n)]))
		data = data[used+int(n):]
	}
	return texts, true
}
