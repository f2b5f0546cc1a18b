// Package model lets the command's assistant, in a process of its own, ask an endpoint
// that is not ours: aimock, which plays OpenAI's chat completions without a network. The
// page's way through it is tried as people go it: tools that are asked about together, a
// form, kill -9 in the midst of an answer, a cancelled one, an endpoint that has too much to
// do. aimock counts what it was asked.
package model
