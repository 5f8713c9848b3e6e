// Package llmtest is a scripted LLM server: it plays exact bytes at exact offsets from the arrival of a request and
// keeps a log of when it really wrote them, so that what a client measured can be compared with what happened.
//
// A [Script] is what one request is answered with. [SSE], [NDJSON], [AWSEventStream], [JSON] and [Fixture] begin one;
// [Script.After] and [Script.Every] lay events out in time:
//
//	ai := llmtest.OpenAI{}
//	script := llmtest.SSE().
//		After(180*time.Millisecond, ai.Role()).
//		Every(20*time.Millisecond, ai.Text("Tell"), ai.Text(" me")).
//		After(700*time.Millisecond, ai.Text(" more")). // a stall
//		After(20*time.Millisecond, ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 9, Output: 3}), ai.Done())
//
// With [Script.Gzip] the body is compressed for clients that accept it, event by event.
//
// The events come from [OpenAI], [OpenAIResponses], [Anthropic], [Gemini], [Ollama], [Cohere] and [Converse], which know
// the wires, or from [Raw], for everything else.
//
// A [Player] is the handler that plays scripts, in order or, with [Player.Choose], by what has arrived. A [Server] is a
// Player that can be reached: over memory with [Start], where nothing but the clock takes time and every offset is exact
// inside a testing/synctest bubble, or over loopback TCP with [Listen]. [StartHTTP2] and [ListenHTTP2] do the same over HTTP/2.
//
// The log is a list of [Exchange] values: facts about each request, and no figures made of them.
package llmtest
