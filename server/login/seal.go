package login

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// sealVersion begins what is sealed.
const sealVersion = 1

// keyName is how many bytes name the key that something is sealed with.
const keyName = 4

var errUnreadable = errors.New("login: a stored token or flow cannot be opened: it was changed, its key is not configured, or it belongs to another issuer, token-url or client-id")

// Sealer encrypts with the first of its keys and decrypts with all of them.
type Sealer struct {
	keys []sealKey
}

type sealKey struct {
	name string
	aead cipher.AEAD
	key  []byte
}

func newSealKey(key []byte) (sealKey, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealKey{}, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return sealKey{}, err
	}
	name := sha256.Sum256(append([]byte("aguiws login key\x00"), key...))
	return sealKey{string(name[:keyName]), aead, key}, nil
}

// Latest is a Sealer with a key of its own for a purpose, which follows from the first key
// of s: it opens nothing that another key has sealed, and nothing of another purpose. What
// strangers can have sealed as often as they like wears out no key but its own.
func (s *Sealer) Latest(purpose string) (*Sealer, error) {
	key, err := hkdf.Key(sha256.New, s.keys[0].key, nil, "aguiws "+purpose, 32)
	if err != nil {
		return nil, err
	}
	k, err := newSealKey(key)
	return &Sealer{[]sealKey{k}}, err
}

// ParseKeys reads keys of 32 bytes in base64, one a line, of which the first encrypts.
// Empty lines and what begins with # are passed over. Its errors repeat nothing of a key.
func ParseKeys(text string) (*Sealer, error) {
	s := new(Sealer)
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(key) != 32 {
			return nil, fmt.Errorf("line %d is no key: a key is 32 bytes in base64, such as openssl rand -base64 32 makes", number)
		}
		k, err := newSealKey(key)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		s.keys = append(s.keys, k)
	}
	if len(s.keys) == 0 {
		return nil, errors.New("the file has no key: a key is 32 bytes in base64, such as openssl rand -base64 32 makes")
	}
	return s, nil
}

// Count is how many keys there are.
func (s *Sealer) Count() int { return len(s.keys) }

// Seal encrypts text; of is what it is of, and it opens as nothing else.
func (s *Sealer) Seal(text []byte, of string) []byte {
	k := s.keys[0]
	sealed := append([]byte{sealVersion}, k.name...)
	nonce := make([]byte, k.aead.NonceSize())
	rand.Read(nonce)
	sealed = append(sealed, nonce...)
	return k.aead.Seal(sealed, nonce, text, []byte(of))
}

// Open decrypts. Old: another key than the first has sealed it.
func (s *Sealer) Open(sealed []byte, of string) (text []byte, old bool, err error) {
	if len(sealed) < 1+keyName || sealed[0] != sealVersion {
		return nil, false, errUnreadable
	}
	name, rest := string(sealed[1:1+keyName]), sealed[1+keyName:]
	for i, k := range s.keys {
		n := k.aead.NonceSize()
		if k.name != name || len(rest) < n {
			continue
		}
		if text, err := k.aead.Open(nil, rest[:n], rest[n:], []byte(of)); err == nil {
			return text, i > 0, nil
		}
	}
	return nil, false, errUnreadable
}
