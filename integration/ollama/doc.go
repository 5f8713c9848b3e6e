// Package ollama puts the library between a real model server and the real SDKs that stream from it: Ollama, with a small random
// model, over all of its six wires. There is nothing but tests in it. TestMain starts the server, and builds it the first time.
package ollama
