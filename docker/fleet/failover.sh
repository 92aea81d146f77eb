#!/bin/sh
# A runtime is in the middle of a conversation when its sidecar is killed, and goes on at another one.
set -eu
cd "$(dirname "$0")"
docker compose version
[ -s password ] || (umask 077 && head -c 24 /dev/urandom | base64 | tr '+/' '-_' >password)
chmod 0644 password # the users of two images read it
said=$(mktemp)
trap 'docker compose --profile runtime down --volumes; rm -f "$said"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
docker compose up --build --wait database one two
docker compose exec -T one /usr/local/bin/node dist/contextd.js agents import - <<'AGENT'
id: helper
name: Helper
rules:
  - name: short
    include: always
    text: Answer in one sentence.
AGENT
CONTEXTD_TOKEN=$(docker compose exec -T one /usr/local/bin/node dist/contextd.js token --label runtime </dev/null)
export CONTEXTD_TOKEN
docker compose run --rm -T runtime </dev/null | tee "$said" | while IFS= read -r line; do
  printf '%s\n' "$line"
  case $line in
    'message 12 '*) docker compose kill --signal KILL one </dev/null ;;
  esac
done
# Its own exit code is lost in the pipe.
grep -q ' does not answer; on to ' "$said" || { echo 'It never lost its sidecar.' >&2 && exit 1; }
grep -q ': none lost, none twice$' "$said"
