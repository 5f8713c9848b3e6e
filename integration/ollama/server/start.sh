#!/usr/bin/env bash
# Builds Ollama, the first time, writes a small random model, and starts a server that has it under the name tiny. Prints the
# server's URL. A server that runs already is left as it is.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

need_headers() {
	local missing=()
	g++ -E -x c++ - <<<'#include <nlohmann/json.hpp>' >/dev/null 2>&1 || missing+=(nlohmann-json3-dev)
	g++ -E -x c++ - <<<'#include <stb/stb_image.h>' >/dev/null 2>&1 || missing+=(libstb-dev)
	if [[ ${#missing[@]} -eq 0 ]]; then
		return
	fi
	say "needs these headers, by the names of their Debian packages: ${missing[*]}"
	if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
		apt-get update >&2
		apt-get install -y --no-install-recommends "${missing[@]}" >&2
	else
		exit 1
	fi
}

# build takes Ollama from the proxy of Go modules. A module has no directories named vendor, which is where the headers are.
build() {
	need_headers
	say "building ollama $version, once; about five minutes on two cores"
	(
		cd / # outside of any module
		GOFLAGS='' GOWORK=off GOBIN=$cache/$version CGO_ENABLED=1 CGO_CXXFLAGS="-O2 -I$here/include" go install "github.com/ollama/ollama@$version" >&2
	)
}

# write_model: with one thread, since two that spin for one another are a hundred times slower where a core is shared; with a
# seed, for the requests that cannot name one; and with a top_k, which is what keeps the end from being sampled.
write_model() {
	(cd "$here/.." && GOFLAGS='' GOWORK=off go run ./tinygguf -o "$run/tiny.gguf") >&2
	cat >"$run/Modelfile" <<-END
		FROM $run/tiny.gguf
		TEMPLATE """{{ .Prompt }}"""
		PARAMETER num_thread 1
		PARAMETER num_predict 48
		PARAMETER seed 1
		PARAMETER top_k 40
	END
}

# serve starts the server and waits until it answers. It decodes two requests at a time, in the same batches.
serve() {
	OLLAMA_MODELS=$run/models OLLAMA_NUM_PARALLEL=2 OLLAMA_KEEP_ALIVE=-1 setsid "${isolated[@]}" "$bin" serve >"$run/log" 2>&1 </dev/null &
	echo $! >"$run/pid"
	for _ in {1..100}; do
		sleep 0.1
		running || return 1
		if "${isolated[@]}" "$bin" list >/dev/null 2>&1; then
			return
		fi
	done
	return 1
}

# load has the server load the model, which else would be part of the first request's time to first token.
load() { "${isolated[@]}" "$bin" create tiny -f "$run/Modelfile" && "${isolated[@]}" "$bin" run tiny warm </dev/null; }

mkdir -p "$cache" "$run/home" "$run/models"
if running; then
	cat "$run/url"
	exit
fi
[[ -x $bin ]] || build
write_model
trap '"$here/stop.sh"; say "the server did not start"; tail "$run/log" >&2' EXIT
for _ in {1..5}; do # another port if somebody has this one
	address=127.0.0.1:$((20000 + RANDOM % 10000))
	isolated=(env HOME="$run/home" OLLAMA_HOST="$address" OLLAMA_NO_CLOUD=1) # a home of its own, and it asks nobody outside
	if serve && load >"$run/load.log" 2>&1; then
		trap - EXIT
		echo "http://$address" | tee "$run/url"
		exit
	fi
	"$here/stop.sh"
done
exit 1
