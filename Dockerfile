# One executable on a small base. Build: docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) -t tessera .
# Run: docker run -d -p 8080:8080 -v tessera:/data -e TESSERA_PUBLIC_URL=https://qr.example.org tessera

FROM oven/bun:1.4.5-debian AS build
WORKDIR /src
# Packages are installed first, because they change less often than the sources.
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile --production
COPY tsconfig.json bunfig.toml ./
COPY scripts ./scripts
COPY migrations ./migrations
COPY src ./src
# The licences that the build accepts.
COPY docs/adr/0032-licences.md ./docs/adr/
ARG COMMIT=unknown
RUN bun scripts/build.ts --outfile /out/tessera --commit "$COMMIT" \
  && mkdir -m 700 /out/data

# Contains glibc, but no shell and no package manager.
FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /out/tessera /usr/local/bin/tessera
COPY --from=build /out/LICENSES.txt /out/sbom.cdx.json /usr/share/doc/tessera/
COPY --from=build --chown=nonroot:nonroot /out/data /data
USER nonroot
ENV TESSERA_HOST=0.0.0.0 TESSERA_PORT=8080 TESSERA_DATA_DIR=/data
# Tells the program that it is in a container (src/platform/supervisor.ts); Podman sets it too.
ENV container=docker
# A folder that this user cannot write, so that it never contains a tessera.toml.
WORKDIR /
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s --retries=3 CMD ["/usr/local/bin/tessera", "healthcheck", "--live"]
ENTRYPOINT ["/usr/local/bin/tessera"]
CMD ["serve"]
