#!/bin/sh
# A runtime is in the middle of a conversation when its sidecar is killed, and goes on at another one.
set -eu
cd "$(dirname "$0")"
[ -s password ] || (umask 077 && head -c 24 /dev/urandom | base64 | tr '+/' '-_' >password)
chmod 0644 password # the users of two images read it
trap 'docker compose --profile runtime down --volumes' EXIT
docker compose up --build --wait database one two
docker compose exec -T one /usr/local/bin/node dist/contextd.js agents import - <<'AGENT'
id: helper
name: Helper
rules:
  - name: short
    include: always
    text: Answer in one sentence.
AGENT
CONTEXTD_TOKEN=$(docker compose exec -T one /usr/local/bin/node dist/contextd.js token --label runtime)
export CONTEXTD_TOKEN
(sleep 2 && docker compose kill --signal KILL one) &
docker compose run --rm runtime
