# Holdfast as a container: built with the Swift toolchain, run on a small Debian.
#
#   docker build -t holdfast . && docker run -p 127.0.0.1:8080:8080 -v holdfast:/data holdfast
#
# On an empty volume the first start makes an admin token and prints it once: `docker logs` has it.
# `make image` builds it without a daemon and tries the result.

# What it is built on, for who keeps images of their own.
ARG BUILD_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
# The package list comes from the same script as a developer's; it changes less often than sources.
COPY scripts/setup scripts/find-swift scripts/
RUN scripts/setup && rm -rf /var/lib/apt/lists/*
COPY . .
# Swift's own libraries are linked in (Package.swift), so that the image below needs no toolchain.
RUN scripts/build release --product holdfast \
    && install -D --strip .build/release/holdfast /out/holdfast

FROM ${RUNTIME_IMAGE}
# scripts/build-image adds the version and the commit.
LABEL org.opencontainers.image.title="Holdfast" \
      org.opencontainers.image.description="A self-hosted object database behind HTTP and JSON" \
      org.opencontainers.image.licenses="Apache-2.0"
# One package a line: Tests/deploy compares them with what the program is linked with.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates \
        libcjose0 \
        libcurl4 \
        libicu72 \
        libjansson4 \
        liblmdb0 \
        libmicrohttpd12 \
        libs2-0 \
        libsimdjson14 \
        libsodium23 \
        libssl3 \
        libstdc++6 \
        zlib1g \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin holdfast \
    && install -d -o holdfast -g holdfast -m 0700 /data
COPY --from=build /out/holdfast /usr/bin/holdfast
# Licences of what is linked into the program.
COPY LICENSE NOTICE /usr/share/doc/holdfast/
USER 10001
ENV HOLDFAST_LISTEN=0.0.0.0:8080 \
    HOLDFAST_DATA=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["holdfast", "health"]
ENTRYPOINT ["holdfast"]
CMD ["serve", "--bootstrap-token"]
