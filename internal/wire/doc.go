// Package wire turns the bytes of a streaming LLM API into events.
//
// [Classify] says what the JSON of one event carries. A stream has thousands of events and timing them must not slow
// them down, so nothing is decoded that the answer does not need: the text is walked once, what no rule asks for is
// passed over, and the strings of the answer are substrings of the event.
//
// # Layers
//
//   - scan.go and nesting.go say where a token or a value of JSON ends.
//   - cursor.go walks objects and arrays and reads the values in them.
//   - classify.go collects the members of an event and asks each shape whether it knows them.
//   - openai.go, anthropic.go and ollama.go are the shapes.
//
// A new shape adds its members to the envelope and its method to the list in [Classify]; a member that means different
// things in different shapes is kept raw until the shape is known.
//
// # Strictness
//
// An event is malformed when encoding/json says so, whether the fault is in a value that matters or not, with one
// exception: a value that is passed over may nest 1024 levels deep, not 10000. Invalid UTF-8 in a string is accepted
// there too, and stays as it is here. Names are compared exactly, and of several members with the same name the last
// one counts.
package wire
