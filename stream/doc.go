// Package stream times token streams of any shape with a [tpot.Recorder].
//
// Each adapter takes the Recorder first, then the stream, and gives back something with the stream's own shape:
//
//	s := stream.Pull(tpot.Start(ctx), client.Chat.Completions.NewStreaming(ctx, params), nil)
//	for s.Next() {
//		for _, choice := range s.Current().Choices {
//			fmt.Print(choice.Delta.Content)
//		}
//	}
//	fmt.Println(s.Stats())
//
// The Recorder comes first so that it starts before an SDK call that is written as the next argument: Go evaluates
// arguments in order, and half of the SDKs send the request, and retry it, inside that call.
//
//	[Pull]    Next, Current, Err, Close                   openai-go, anthropic-sdk-go
//	[Recv]    Recv() (T, error)                           go-openai, cohere, eino, gRPC
//	[Seq2]    iter.Seq2[T, error]                         genai, genkit
//	[Seq]     iter.Seq[T]                                 fantasy
//	[Chan]    a channel of values, perhaps one of errors  any-llm-go, mistral-go
//	[Events]  Events() <-chan T and Err() error           Bedrock
//	[Call]    a call that hands each value to a function  ollama, langchaingo, genkit
//
// [Transport] times a client's responses on the way to whatever reads them, with no change where it is called, and [Body]
// one response.
//
// # What the stream's reader sees
//
// Exactly what it would see without the adapter: values, errors, their order, laziness, back-pressure and the results of Close.
// Nothing starts a goroutine or reads ahead, but for [Transport.ReadAhead], and none closes what its caller does not close through it. An adapter
// ends its Recorder on every way out: the stream's end, an error, Close, a loop that is left, a panic in its body, and, if
// the stream is simply dropped, once the garbage collector finds it; a Transport ends those that it started. A nil Recorder
// turns an adapter into a plain pass-through.
//
// # What an event carries
//
// A classifier says it: a func(T) tpot.Event. It may be nil, which means [Auto] with a memory of the values before. A
// classifier that panics costs its event's figures, never the event; such faults are counted in [tpot.Stats.Faults].
//
// An error that a value carries, in a field of type error of the struct that it is or points to, counts as [Recv] takes one beside a
// value: it decides the outcome when no value follows it.
//
// # What is understood without a classifier
//
// [Auto] in the JSON of a value, and [Transport] and [Body] in the bytes, know the events of
//
//	OpenAI chat completions and completions     and their dialects: Azure, vLLM, SGLang, TensorRT-LLM's trtllm-serve,
//	                                            llama.cpp, Ollama, Mistral, OpenRouter, DeepSeek, Together, Groq, Moonshot
//	OpenAI Responses                            and its streams of images, speech and transcripts
//	Anthropic Messages
//	Gemini streamGenerateContent
//	Cohere chat, version 2
//	Ollama /api/chat and /api/generate
//	Bedrock ConverseStream
//	Bedrock InvokeModelWithResponseStream       of Claude, Llama, Mistral, Nova, Titan and what speaks one of the above
//	SGLang /generate, Triton generate_stream, TGI /generate_stream, llama.cpp /completion
//	eino, genkit, fantasy, langchaingo          the values of these Go libraries, not in the bytes
//
// They are told apart by what is in an event, never by who sent it. What is of none of these shapes is counted as an event
// that was not understood. [tpot.Stats.Wire] names the shape: "openai", "openai responses", "anthropic", "gemini", "cohere",
// "ollama", "bedrock", "sglang", "triton", "tgi", "llama.cpp", "eino", "genkit", "fantasy", "langchaingo", or "unknown".
//
// In the bytes the events are found in server-sent events, JSON lines, a JSON array and frames of the AWS event stream. An
// event of more than 4 MiB is passed over, and so is a body in an encoding that its reader is to decode: [tpot.Stats.Unread]
// counts them.
package stream
