#!/usr/bin/env bash
# Stops the server that start.sh started.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
if running; then
	pid=$(<"$run/pid")
	kill "$pid"
	for _ in {1..50}; do
		running || break
		sleep 0.1
	done
	if running; then
		kill -9 -- "-$pid" # and the process that has the model
	fi
fi
rm -f "$run/pid" "$run/url"
