# Heddle in Debian slim: one binary that holds Swift's library, beside Debian's libmicrohttpd.
#
#   docker build -t heddle .
#   docker run --rm -p 8080:8080 --stop-timeout 35 heddle
#
# Settings are environment variables (-e HEDDLE_MAX_THREADS=128) or flags (heddle serve --max-threads 128); change the
# port by HEDDLE_PORT, which the health check reads as well. `docker stop` waits 10 s unless told otherwise, the drain of
# the server up to 30: hence the --stop-timeout.

FROM swift:6.3-bookworm AS build
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends libmicrohttpd-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /heddle
# The manifest names the test targets, so their folders must be there even though they are not built.
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY public public
RUN swift build -c release --static-swift-stdlib --product heddle \
 && install -D -m 755 .build/release/heddle /out/heddle

FROM debian:bookworm-slim
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends libmicrohttpd12 libstdc++6 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/heddle /usr/local/bin/heddle
# The address that is reachable from outside the container. It is not loopback, so the lab routes are off by default.
ENV HEDDLE_HOST=0.0.0.0
# Nobody in particular, by number, so that Kubernetes can see that it is not root.
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
# There is no curl here; bash opens the connection itself.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${HEDDLE_PORT:-8080} && printf 'GET /healthz HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -u 3 line && [[ $line == 'HTTP/1.1 200 '* ]]"]
ENTRYPOINT ["heddle"]
CMD ["serve"]
