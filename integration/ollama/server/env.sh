# What start.sh and stop.sh have in common. Sourced, not run; see ../README.md for the variables.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$(cd "$here" && GOWORK=off go list -m -f '{{.Version}}' github.com/ollama/ollama)
cache=$(realpath -m "${OLLAMA_KIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ollama-kit}")
run=$(realpath -m "${OLLAMA_KIT_RUN:-$cache/run}")
bin=$cache/$version/ollama

say() { echo "ollama: $*" >&2; }

# running: the server that was started is there, and its process is not some other's by now.
running() {
	local pid
	pid=$(cat "$run/pid" 2>/dev/null) || return 1
	[[ $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") == "$bin serve "* ]]
}
