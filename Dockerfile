# The emulator as an image. docker/README.md says how it is used; docker/check.sh builds it and tries it. The target `with-azurite` is
# the same with Azurite beside it, for blobs and queues (docs/containers.md).
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
# No scripts: the SQLite driver brings its addon, so there is nothing to compile.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
# What the bundle leaves outside. Of the driver only what is loaded here goes on: neither its sources nor its addons for other systems.
RUN mkdir dependencies \
  && cp package.json package-lock.json dependencies/ \
  && cd dependencies \
  && npm ci --omit=dev --ignore-scripts --engine-strict --no-audit --no-fund \
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
COPY package.json LICENSE docker/image-command.mjs docker/give-up-root.mjs docker/nc.mjs ./
COPY --from=build /build/dependencies/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY openapi ./openapi
# What the console shows of a rule.
COPY docs/advisor ./docs/advisor
# Azurite's names are there so that its command lines run as they are, and /workspace since many of them keep data there. Compose files
# ask `nc` whether a port is open. The group of the folders lets root write there that was started without capabilities.
RUN for name in tanzanite azurite azurite-table; do ln -s /app/image-command.mjs "/usr/local/bin/$name"; done \
  && { command -v nc >/dev/null || ln -s /app/nc.mjs /usr/local/bin/nc; } \
  && chmod 755 /app/image-command.mjs /app/nc.mjs \
  && install -d -o node -g root -m 0775 /data /workspace
# The root file system may be read-only; /data is the one place to write, also for SQLite's temporary files and for
# relative paths on the command line.
ENV NODE_ENV=production SQLITE_TMPDIR=/data
WORKDIR /data
VOLUME ["/data"]
EXPOSE 10002
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 CMD ["tanzanite", "health"]
# It starts as root, so that a key or a folder may be root's, and gives root up before it does anything else (give-up-root.mjs).
# What follows the image's name in `docker run` are flags, a command of tanzanite, or a whole command line of Azurite's.
ENTRYPOINT ["tanzanite"]

FROM ${NODE_IMAGE} AS azurite
WORKDIR /build
COPY docker/azurite/package.json docker/azurite/package-lock.json ./
# Nothing reads the source maps and declarations, nearly half of what is installed.
RUN npm ci --ignore-scripts --engine-strict --no-audit --no-fund \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM runtime AS with-azurite
COPY --from=azurite /build/node_modules /app/azurite/node_modules
RUN for name in azurite-blob azurite-queue; do ln -s /app/image-command.mjs "/usr/local/bin/$name"; done
# Where `tanzanite azurite` finds the package.
ENV NODE_PATH=/app/azurite/node_modules
EXPOSE 10000 10001
ENTRYPOINT ["azurite"]

# The image that is built where no target is named.
FROM runtime
