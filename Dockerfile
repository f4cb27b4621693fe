# The emulator as an image. docker/check.sh builds it and tries it.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json ./
# No scripts: what `prepare` builds is not here yet. The SQLite driver is compiled, against the headers in the base image,
# so that nothing but packages from the lock file goes in.
ENV npm_package_config_node_gyp_nodedir=/usr/local
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && npm explore better-sqlite3 -- npm run build-release
COPY tsconfig.json tsconfig.types.json ./
COPY scripts ./scripts
COPY src ./src
# Of the driver only what is loaded goes on: its sources and object files are three quarters of it.
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && cd node_modules/better-sqlite3 \
  && mv build/Release/better_sqlite3.node . \
  && rm -rf build deps src \
  && mkdir -p build/Release \
  && mv better_sqlite3.node build/Release/

FROM ${NODE_IMAGE} AS runtime
LABEL org.opencontainers.image.title="tanzanite" \
  org.opencontainers.image.description="Emulator of the Azure Table service" \
  org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY docker/healthcheck.mjs ./
RUN install -d -o node -g node /data
# The root file system may be read-only; /data is the one place to write, also for SQLite's temporary files.
ENV NODE_ENV=production SQLITE_TMPDIR=/data
USER node
VOLUME ["/data"]
EXPOSE 10002
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 CMD ["node", "healthcheck.mjs"]
# Further flags may follow the image's name in `docker run`; a flag given twice counts as given last.
ENTRYPOINT ["node", "dist/cli.js", "start", "--tableHost", "0.0.0.0", "--location", "/data"]
