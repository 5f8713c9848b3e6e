// Package tpot measures one streamed LLM response: when its first token came, how steady the others followed, where the time went, and
// how it ended.
//
// A [Recorder] is told of each event as it arrives and answers with [Stats]:
//
//	rec := tpot.Start(ctx)
//	resp := send(request)
//	for {
//		rec.BeginWait()
//		event, err := resp.Next()
//		if err != nil {
//			return rec.End(err)
//		}
//		rec.Observe(tpot.Event{Kind: tpot.KindText, Tokens: event.Tokens})
//	}
//
// Package stream does this for streams of every common shape, in one line. A [Tracker] starts Recorders that share limits and
// observers, and carries them in the context.
//
// # Words
//
// An event is whatever the stream yields. A chunk is an event that carries output of any channel: text, reasoning, arguments of a tool
// call, a refusal, media; roles, pings, usage and empty deltas are no chunks. A token is the model's unit, and a chunk may carry
// several.
//
//	TTFT   time to first token: start to the first chunk
//	TTFO   time to first output: start to the first chunk that is not reasoning alone
//	TPOT   time per output token: (last chunk - first chunk) / (N - 1), with N output tokens
//	gap    time between two consecutive chunks of one choice
//	ITL    inter-token latency: a gap over the tokens of the chunk that ends it, where known
//	wait   time spent waiting for the producer; hold is the consumer's own; setup is before the first wait
//	stall  a gap whose wait is at or above the threshold, 500 ms unless set
//	E2E    start to end
//
// The start is when the request is issued, retries included. Other tools define the same words otherwise; figures compare
// only under one convention, and this one is called "tokentiming".
//
// How smooth a response was beyond the mean of its gaps is for [Fluidity], by deadlines, and [Playback], by a reader's pace, to say; a caller
// tells them of the chunks of one choice.
//
// What is not there is absent, never zero: a response without tokens has no TTFT, one of a single chunk no TPOT.
//
// # Truth and cost
//
// N comes from the provider's usage where there is one, else from tokens given for each chunk, else it is the number of chunks,
// which is a guess; [Stats.Source] says which. A clean end is not taken for success: see [Outcome].
//
// Observing an event costs about two readings of the clock and allocates nothing. No content is kept: no text, no prompt, no
// error message.
package tpot
