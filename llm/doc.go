// Package llm makes an agent of a model. A loop asks any endpoint with OpenAI's chat
// completions (OpenAI, Ollama, vLLM and others) for an answer, and shows it while it comes.
// It carries out the tools that the model calls, and asks again until the model calls none.
//
// Each call of the model is one idempotent step, since to ask twice changes nothing
// anywhere. Once its answer is journaled no replay asks again. An answer that a crash cut
// off is asked for once more and shown in place of what had come. Tools are adapter.Tools
// with their policies, and forms; a frontend's tools are left for the frontend.
//
// The model is told what is sent to join the run (admission.WhenStep) with the next request;
// after its last answer, that is one more.
//
// A model that does not answer ends the run in a RUN_ERROR whose code says what may help:
// CodeRateLimited, CodeUnavailable and CodeTimeout to ask again later, CodeRefused to
// change something, CodeTruncated to go on from what had come.
//
// The model is told what a human has changed in the arguments of a call, until its run has
// ended. Later messages show it the call as it proposed it, and the result: a result should
// say with what the call was carried out.
package llm
