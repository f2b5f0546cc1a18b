// Package llm makes an agent of a model: a loop that asks any endpoint with OpenAI's
// chat completions (OpenAI, Ollama, vLLM and others) for an answer, shows it while it
// comes, carries out the tools that the model calls, and asks again until it calls none.
//
// Each call of the model is one idempotent step, since to ask twice changes nothing
// anywhere: once its answer is journaled no replay asks again, and an answer that a
// crash cut off is asked for once more and shown in place of what had come. Tools are
// adapter.Tools with their policies, and forms; a frontend's tools are left for the
// frontend.
//
// What is sent to join the run (adapter.WhenStep) the model is told with the next request;
// after its last answer, that is one more.
//
// A model that does not answer ends the run in a RUN_ERROR whose code says what may help:
// CodeRateLimited, CodeUnavailable and CodeTimeout to ask again later, CodeRefused to
// change something, CodeTruncated to go on from what had come.
//
// Of what a human has changed in the arguments of a call the model is told until its run
// has ended. Later messages show it the call as it proposed it, and the result: a result
// should say with what the call was carried out.
package llm
