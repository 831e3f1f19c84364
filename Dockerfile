# syntax=docker/dockerfile:1

FROM python:3.13-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /srv/podium
RUN python -m venv /srv/venv
COPY requirements.lock .
RUN /srv/venv/bin/pip install --require-hashes -r requirements.lock
COPY . .
RUN DATA_DIR=/tmp/var STATIC_ROOT=/srv/static /srv/venv/bin/python manage.py collectstatic --no-input \
    && /srv/venv/bin/python -m compileall -q leaderboard scorers

FROM python:3.13-slim
ENV PATH=/srv/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    HOST=0.0.0.0 \
    DATA_DIR=/data \
    STATIC_ROOT=/srv/static
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin podium \
    && install --directory --owner podium --group podium --mode 0711 /data \
    && install --directory --owner podium --group podium --mode 0700 /keys
WORKDIR /srv/podium
COPY --from=build /srv /srv
USER podium
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "leaderboard.wsgi"]
