# The emulator as an image. docker/README.md says how it is used; docker/check.sh builds it and tries it.
# The default image contains the executable and a few packages of Debian. The target `with-azurite` is built on Node's own image and
# contains the npm package and Azurite, for blobs and queues (docs/containers.md). All stages except the last one of each image run on
# the architecture of the build machine, even if the image is for another architecture.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim

FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS build
WORKDIR /build
# Scripts are not needed: the SQLite driver brings its addon, so nothing is compiled.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.types.json LICENSE ./
COPY scripts ./scripts
COPY openapi ./openapi
# The console shows the texts of these rules.
COPY docs/advisor ./docs/advisor
COPY src ./src
RUN npm run build

FROM build AS executable
ARG TARGETARCH
# With these tools, executable.mjs makes the executable of each architecture 15 MB smaller.
RUN apt-get update \
  && apt-get install -y --no-install-recommends binutils-x86-64-linux-gnu binutils-aarch64-linux-gnu
RUN node scripts/executable.mjs --platform "linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)" --unpacked --out app \
  && mv app/tanzanite-linux-* app/tanzanite

FROM --platform=${BUILDPLATFORM} ${DEBIAN_IMAGE} AS base
ARG TARGETARCH
COPY docker/unpack-base.sh /
RUN sh /unpack-base.sh /base "$TARGETARCH"
# The names of Azurite's commands let its command lines run unchanged, and many of them keep data in /workspace. The folders belong
# to the group root, so that root without capabilities can write there. /authority is the place for --https-authority, in a volume
# that other containers mount.
RUN for name in tanzanite azurite azurite-table azurite-blob azurite-queue; do ln -s /app/tanzanite "/base/usr/local/bin/$name"; done \
  && install -d -m 0775 /owned/data /owned/workspace /owned/authority

FROM scratch AS runtime
COPY --from=base --chown=0:0 /base /
COPY --from=base --chown=1000:0 /owned /
COPY --from=executable --chown=0:0 /build/app /app
# The root file system may be read-only. /data is the only place to write, also for SQLite's temporary files and for
# relative paths on the command line. TANZANITE_IMAGE makes the executable start in the way of an image (src/image).
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  NODE_ENV=production SQLITE_TMPDIR=/data TANZANITE_IMAGE=/data
WORKDIR /data
VOLUME ["/data"]
EXPOSE 10002
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 CMD ["tanzanite", "health"]
ARG DEBIAN_IMAGE
ARG VERSION=0.1.0
ARG SOURCE_URL
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title="tanzanite" \
  org.opencontainers.image.description="Emulator of the Azure Table service" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="${DEBIAN_IMAGE}" \
  org.opencontainers.image.source="${SOURCE_URL}" \
  org.opencontainers.image.url="${SOURCE_URL}" \
  org.opencontainers.image.documentation="${SOURCE_URL:+${SOURCE_URL}#readme}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}"
# The container starts as root, so that a key or a folder may belong to root, and gives up root before it does anything else (src/image).
# The arguments after the image's name in `docker run` are flags, a command of tanzanite, or a complete command line for Azurite.
ENTRYPOINT ["tanzanite"]

FROM build AS package
ARG TARGETARCH
# The packages outside the bundle. Of the driver, only the part that is loaded is copied: neither its sources nor its addons for other
# systems.
RUN mkdir package \
  && cp package.json package-lock.json LICENSE package/ \
  && cp -R dist openapi package/ \
  && mkdir package/docs && cp -R docs/advisor package/docs/ \
  && cd package \
  && npm ci --omit=dev --ignore-scripts --engine-strict --no-audit --no-fund \
  && rm package-lock.json \
  && cd node_modules/better-sqlite3 \
  && rm -rf ../node-addon-api deps src \
  && find prebuilds -type f ! -name "linux*-$(echo "$TARGETARCH" | sed s/amd64/x64/).node" -delete

FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS azurite
WORKDIR /build
COPY docker/azurite/package.json docker/azurite/package-lock.json ./
# Source maps, declarations and second copies of code as ES modules are most of the installation, and Azurite never loads them.
RUN npm ci --ignore-scripts --engine-strict --no-audit --no-fund \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \
    -o -path '*/build/esm/*' -o -path '*/build/esnext/*' \) -delete

FROM ${NODE_IMAGE} AS with-azurite
# Health checks of compose files call `nc` to see whether a port is open.
RUN command -v nc >/dev/null \
  || { apt-get update && apt-get install -y --no-install-recommends netcat-openbsd && rm -rf /var/lib/apt/lists/*; }
COPY --from=package /build/package /app
COPY --from=azurite /build/node_modules /app/azurite/node_modules
RUN for name in tanzanite azurite azurite-table azurite-blob azurite-queue; do ln -s /app/dist/image.js "/usr/local/bin/$name"; done \
  && install -d -o node -g root -m 0775 /data /workspace /authority
# `tanzanite azurite` finds the package under NODE_PATH.
ENV NODE_ENV=production SQLITE_TMPDIR=/data TANZANITE_IMAGE=/data NODE_PATH=/app/azurite/node_modules
WORKDIR /data
VOLUME ["/data"]
EXPOSE 10000 10001 10002
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 CMD ["tanzanite", "health"]
ARG NODE_IMAGE
ARG VERSION=0.1.0
ARG SOURCE_URL
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title="tanzanite-with-azurite" \
  org.opencontainers.image.description="Emulator of the Azure Table service, with Azurite for blobs and queues" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="${NODE_IMAGE}" \
  org.opencontainers.image.source="${SOURCE_URL}" \
  org.opencontainers.image.url="${SOURCE_URL}" \
  org.opencontainers.image.documentation="${SOURCE_URL:+${SOURCE_URL}#readme}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}"
ENTRYPOINT ["azurite"]

# The last stage is the image that is built by default.
FROM runtime
