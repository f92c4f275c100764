#!/bin/sh
# Starts one of Concord's processes, in the image or without it.
set -eu
cd "$(dirname "$0")/.."
PYTHONPATH=$PWD
export PYTHONPATH

usage() {
    cat >&2 <<'END'
usage: entrypoint.sh web [OPTION ...]       migrate, collect static files, serve (gunicorn)
       entrypoint.sh worker [OPTION ...]    run judges (celery worker)
       entrypoint.sh beat [OPTION ...]      send what is due regularly (celery beat); run one
       entrypoint.sh manage COMMAND ...     any command of manage.py
       entrypoint.sh healthy ROLE           end with 0 if web, worker or beat is well
OPTIONs are handed on to gunicorn or celery.
END
    exit 2
}

role=${1:-}
[ $# -eq 0 ] || shift

case $role in
web)
    python docker/prepare.py web
    # No access log: addresses of rating sessions are secrets. No control socket: nobody uses it.
    # Preloaded: a worker that was killed is replaced at once, not after seconds of imports.
    exec python -m gunicorn config.wsgi --no-control-socket --preload \
        --bind "${WEB_BIND:-0.0.0.0:8000}" \
        --workers "${WEB_WORKERS:-2}" --threads "${WEB_THREADS:-4}" \
        --worker-tmp-dir /dev/shm "$@"
    ;;
worker)
    python docker/prepare.py worker
    exec python -m celery -A config worker -n worker@%h \
        --concurrency "${WORKER_CONCURRENCY:-2}" --loglevel "${LOG_LEVEL:-INFO}" "$@"
    ;;
beat)
    python docker/prepare.py beat
    # Its schedule file is under var/ by the settings.
    exec python -m celery -A config beat --pidfile '' --loglevel "${LOG_LEVEL:-INFO}" "$@"
    ;;
manage)
    exec python manage.py "$@"
    ;;
healthy)
    exec python docker/healthcheck.py "$@"
    ;;
*)
    usage
    ;;
esac
