package budget

import "io"

// firstPiece is read without asking for room.
const firstPiece = 512

// ReadAll reads to the end as io.ReadAll does. Before it takes memory for so many bytes
// more it asks grow, whose error it returns; what it was granted is for the caller to give
// back, after an error too.
func ReadAll(r io.Reader, grow func(bytes int64) error) ([]byte, error) {
	b := make([]byte, 0, firstPiece)
	granted := 0
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if len(b) < cap(b) {
			continue
		}
		larger := 2 * cap(b)
		if err := grow(int64(larger - granted)); err != nil {
			return nil, err
		}
		granted = larger
		next := make([]byte, len(b), larger)
		copy(next, b)
		b = next
	}
}
