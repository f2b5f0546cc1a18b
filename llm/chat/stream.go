package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// Chunk is one piece of a streamed answer.
type Chunk struct {
	Model   string   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   *Usage   `json:"usage"` // nil: the chunk does not tell it
}

// Choice is what a chunk adds to one answer.
type Choice struct {
	Index        int64  `json:"index"`
	Delta        Delta  `json:"delta"`
	FinishReason string `json:"finish_reason"` // "" until the last one
}

// Delta is what comes behind what came before it. Reasoning stands under one of two
// names, which no specification has; vLLM and DeepSeek use the first, Ollama and
// OpenRouter the second.
type Delta struct {
	Content          Piece           `json:"content"`
	Refusal          Piece           `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ToolCalls        []CallDelta     `json:"tool_calls"`
}

// CallDelta is a piece of a tool call. Index says of which; ID and the name come with
// the first piece.
type CallDelta struct {
	Index    int64         `json:"index"`
	ID       string        `json:"id"`
	Function FunctionDelta `json:"function"`
}

// FunctionDelta is the name of a called function, and a piece of its arguments.
type FunctionDelta struct {
	Name      string `json:"name"`
	Arguments Piece  `json:"arguments"`
}

// Usage is what an answer cost, in tokens. A nil count was not told.
type Usage struct {
	Prompt            *int64 `json:"prompt_tokens"`
	Completion        *int64 `json:"completion_tokens"`
	Total             *int64 `json:"total_tokens"`
	CompletionDetails struct {
		Reasoning *int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	PromptDetails struct {
		Cached *int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// maxEvent bounds the bytes of one event of a stream.
const maxEvent = 32 << 20

// StreamError is an error that the endpoint has told within an answer.
type StreamError struct{ Data []byte } // the event, as it came

func (e *StreamError) Error() string { return "the endpoint told an error: " + string(e.Data) }

// Stream is an answer that is under way. One goroutine may read it, and must close it.
type Stream struct {
	// Response is what the endpoint answered by. Its body is the stream's.
	Response *http.Response
	lines    *bufio.Scanner
}

func newStream(response *http.Response) *Stream {
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxEvent)
	return &Stream{Response: response, lines: lines}
}

// Next returns the next chunk. The error is io.EOF behind the last one, a *StreamError,
// one of encoding/json for what is no chunk, or the connection's.
func (s *Stream) Next() (Chunk, error) {
	data, err := s.event()
	if err != nil {
		return Chunk{}, err
	}
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return Chunk{}, io.EOF
	}
	var said struct {
		Chunk
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &said); err != nil {
		return Chunk{}, err
	}
	if len(said.Error) > 0 && string(said.Error) != "null" {
		return Chunk{}, &StreamError{data}
	}
	return said.Chunk, nil
}

// event returns the data of the next Server-Sent Event that has any.
func (s *Stream) event() ([]byte, error) {
	var data []byte
	for s.lines.Scan() {
		line := s.lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				return data, nil
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) == "data" {
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
		}
	}
	if err := s.lines.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// Close ends the answer.
func (s *Stream) Close() error { return s.Response.Body.Close() }
