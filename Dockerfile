# svc-emulator in a container: docker build -t svc-emulator . && docker run -p 4600:4600 svc-emulator
# scripts/image.sh builds and runs it on Debian.

FROM node:22-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
# This Node has SQLite built in.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/better-sqlite3
RUN node scripts/slim-image.mjs && mkdir -p /data

FROM node:22-bookworm-slim
ENV NODE_ENV=production SVC_EMULATOR_HOST=0.0.0.0 SVC_EMULATOR_DATA_DIR=/data SVC_EMULATOR_LOG=json
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE /build/NOTICE /build/llms.txt ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build /build/fixtures ./fixtures
COPY --from=build /build/src/base/database/schema.sql ./src/base/database/schema.sql
COPY --from=build /build/src/client/python ./src/client/python
COPY --from=build --chown=node:node /data /data
USER node
VOLUME /data
EXPOSE 4600
# The command reads the port as the emulator does: from SVC_EMULATOR_PORT or the config file.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["node", "dist/main.js", "call", "getHealth"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["start"]
