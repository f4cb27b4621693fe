# The emulator as an image. docker/README.md says how it is used; docker/check.sh builds it and tries it.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# No scripts: what `prepare` builds is not here yet, and the SQLite driver brings its addon, so there is nothing to compile.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
# What the bundle leaves outside has a lock file of its own: the driver at the release that Node 24 needs (docker/README.md).
COPY docker/dependencies/package.json docker/dependencies/package-lock.json ./dependencies/
# Of the driver only what is loaded here goes on: neither its sources nor its addons for other systems.
RUN cd dependencies \
  && npm ci --ignore-scripts --engine-strict --no-audit --no-fund \
  && cd node_modules/better-sqlite3 \
  && rm -rf ../node-addon-api deps src \
  && find prebuilds -type f ! -name "linux*-$(node -p process.arch).node" -delete
COPY tsconfig.json tsconfig.types.json ./
COPY scripts ./scripts
COPY openapi ./openapi
COPY src ./src
RUN npm run build

FROM ${NODE_IMAGE} AS runtime
ARG NODE_IMAGE
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="tanzanite" \
  org.opencontainers.image.description="Emulator of the Azure Table service" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="${NODE_IMAGE}"
WORKDIR /app
COPY package.json LICENSE docker/image-command.mjs ./
COPY --from=build /build/dependencies/node_modules ./node_modules
COPY --from=build /build/dist ./dist
# Azurite's names are there so that its command lines run as they are, and /workspace since many of them keep data there.
RUN for name in tanzanite azurite azurite-table; do ln -s /app/image-command.mjs "/usr/local/bin/$name"; done \
  && install -d -o node -g node /data /workspace
# The root file system may be read-only; /data is the one place to write, also for SQLite's temporary files and for
# relative paths on the command line.
ENV NODE_ENV=production SQLITE_TMPDIR=/data
WORKDIR /data
USER node
VOLUME ["/data"]
EXPOSE 10002
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 CMD ["tanzanite", "health"]
# What follows the image's name in `docker run` are flags, a command of tanzanite, or a whole command line of Azurite's.
ENTRYPOINT ["tanzanite"]
