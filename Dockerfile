# The KRM function as an image:
#   docker build -t pkgupdate .
#   kpt fn eval PKG --image pkgupdate --network -- ref=v2

FROM python:3.13-alpine AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY pkgupdate ./pkgupdate
RUN python -m venv --without-pip /opt/pkgupdate \
    && pip --python /opt/pkgupdate install --no-cache-dir .

FROM python:3.13-alpine
# Git of the day, with its fixes; ssh for upstreams like git@host:repository.
# hadolint ignore=DL3018
RUN apk add --no-cache git openssh-client-default
COPY --from=build /opt/pkgupdate /opt/pkgupdate
# kpt runs images as `nobody`, who can write nowhere else.
ENV PATH=/opt/pkgupdate/bin:$PATH \
    HOME=/tmp \
    PKGUPDATE_CACHE_DIR=/tmp/pkgupdate/cache \
    PKGUPDATE_STATE_DIR=/tmp/pkgupdate/state
WORKDIR /tmp
USER 65534:65534
ENTRYPOINT ["pkgupdate", "fn"]
