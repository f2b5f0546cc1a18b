// Package chat is OpenAI's API of chat completions on the wire: what is sent, what is
// streamed back, and which models an endpoint has. Ollama, vLLM and others serve the
// same API.
package chat
