"""All settings, read from the environment; docs/SETTINGS.md lists every name."""

from pathlib import Path

import drf_spectacular_sidecar
from celery.schedules import schedule
from csp.constants import NONE, SELF
from django.contrib.messages import constants as levels
from whitenoise.compress import Compressor

from annotate.http.headers import static_headers
from annotate.values.languages import offered
from config.env import database, env_bool, env_int, env_list, env_text, secret_key, secrets_keys

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env_text("CONCORD_VAR") or BASE_DIR / "var")

PRODUCTION = env_bool("CONCORD_PRODUCTION")
DEBUG = env_bool("DEBUG") and not PRODUCTION
SECRET_KEY = secret_key(VAR_DIR / "secret_key", required=PRODUCTION)
# Encrypt the API keys that owners of studies give. Not SECRET_KEY, which is changed to end logins.
SECRETS_KEYS = secrets_keys(VAR_DIR / "secrets_keys", kept=not PRODUCTION)
DEFAULT_EXCEPTION_REPORTER_FILTER = "annotate.http.errors.AlwaysFiltered"
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "" if PRODUCTION else "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")
SITE_URL = env_text("SITE_URL", "http://127.0.0.1:8000").rstrip("/")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "csp",
    "axes",
    "annotate",
    "judges",
    "analysis",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Rater pages hold no secret but their own address, and Django pads compressed pages at random:
    # so a secret cannot be guessed from the size of a page.
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "annotate.http.headers.PermissionsPolicyMiddleware",
    "annotate.http.streaming.PiecesMiddleware",  # outside the session's, which writes
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "annotate.http.gone.GoneMiddleware",
    "annotate.db.busy.BusyMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # Of features that are a folder each.
            "libraries": {
                "gallery": "analysis.demo.tags",
                "glossary": "analysis.glossary.tags",
            },
        },
    }
]

DATABASES = {"default": database(env_text("DATABASE_URL"), VAR_DIR / "concord.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# People
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "studies"
LOGOUT_REDIRECT_URL = "login"
PASSWORD_RESET_TIMEOUT = 24 * 3600  # the life of a one-time login link, seconds
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ADD_HEADERS_FUNCTION = static_headers
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "annotate/locked_out.html"
AXES_VERBOSE = False
AXES_CLIENT_IP_CALLABLE = "annotate.http.headers.client_ip"
AXES_USERNAME_CALLABLE = "annotate.http.headers.username_tried"
PROXY_COUNT = env_int(
    "PROXY_COUNT", 0
)  # reverse proxies before this server that set X-Forwarded-For

# The classes of .notice in app.css.
MESSAGE_TAGS = {levels.SUCCESS: "ok", levels.WARNING: "warn", levels.ERROR: "error"}

# Words and time
# Researchers' pages are in LANGUAGE_CODE; those of raters in the language of their study, which is
# one of LANGUAGES: whoever adds a message file to locale/ adds a language.
LANGUAGE_CODE = "en"
USE_I18N = True
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGES = offered(LOCALE_PATHS[0])
USE_TZ = True
TIME_ZONE = "UTC"

# Files
# Source maps are for browsers' tools alone; compressing them took longer than all the rest.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
# Of the documentation's package only what is served: as an app it would bring Redoc too.
SIDECAR = Path(drf_spectacular_sidecar.__file__).parent / "static"
SWAGGER = "drf_spectacular_sidecar/swagger-ui-dist"
STATICFILES_DIRS = [BASE_DIR / "static", (SWAGGER, SIDECAR / SWAGGER)]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": env_text(
            "STATICFILES_STORAGE", "whitenoise.storage.CompressedManifestStaticFilesStorage"
        )
    },
}
MEDIA_ROOT = VAR_DIR / "media"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
UPLOAD_MAX_BYTES = env_int("UPLOAD_MAX_MB", 50) * 1024 * 1024
# What all pictures and recordings of one study may take.
MEDIA_QUOTA_BYTES = env_int("MEDIA_QUOTA_MB", 500) * 1024 * 1024

# Headers
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
# Not no-referrer: browsers then send "Origin: null", and every form fails its CSRF check. Rater
# pages, whose addresses are secrets, say no-referrer themselves.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
if PRODUCTION:
    SECURE_SSL_REDIRECT = env_bool("SECURE_SSL_REDIRECT", True)
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = env_int("SECURE_HSTS_SECONDS", 31_536_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# The HTTP API
API_MAX_BYTES = 8 * 1024 * 1024
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotate.api.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["annotate.api.auth.Requests"],
    "DEFAULT_THROTTLE_RATES": {
        "requests": f"{env_int('API_REQUESTS_A_MINUTE', 600)}/min",
        "failures": "30/min",
    },
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotate.api.parsers.PlainJSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "annotate.api.parsers.AlwaysJSON",
    "DEFAULT_PAGINATION_CLASS": "annotate.api.pages.Pages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "annotate.api.errors.answer",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Concord",
    "VERSION": "1",
    "DESCRIPTION": "People and automatic judges rate the same items: read and load what a study "
    "holds, run its judges, compute its reports. Errors are always "
    '`{"error": {"code", "message", …}}`.',
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "AUTHENTICATION_WHITELIST": ["annotate.api.auth.TokenAuthentication"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "persistAuthorization": False},
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "POSTPROCESSING_HOOKS": ["annotate.api.schema.add_errors"],
}

# Results of reports, by the hash of what they were computed from: in files, which the server's
# processes and the workers share as they share uploads.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "reports": {
        "BACKEND": "analysis.serving.cache.ReportFiles",
        "LOCATION": str(VAR_DIR / "reports"),
        "OPTIONS": {"MAX_ENTRIES": 2000},
    },
}
REPORTS_MAX_MB = env_int("REPORTS_MAX_MB", 500)
# From how many ratings and judgments on a report is a worker's, at the usual number of draws.
REPORT_IN_PAGE = env_int("REPORT_IN_PAGE", 100_000)

# Background work. Without REDIS_URL messages are files under var/, so that nothing else is needed.
REDIS_URL = env_text("REDIS_URL")
BROKER_DIR = VAR_DIR / "broker"
CELERY_BROKER_URL = REDIS_URL or "concordfiles://localhost"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
# A message counts as taken when its task begins: an acknowledgement that is due at its end, when
# Redis has gone meanwhile, ends the worker (kombu 5.7). A message that is lost was only a nudge.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# So a worker whose threads are all busy takes no message: another one may be free (Redis only).
CELERY_WORKER_DISABLE_PREFETCH = bool(REDIS_URL)
CELERY_WORKER_DIRECT = True  # a queue for each worker, so that none is passed over
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Threads: a task waits for replies nearly all the time, each in an event loop of its own; nothing
# is forked, so connections stay whole, and a shutdown is seen by the runs it has to stop.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = env_int("WORKER_CONCURRENCY", 4)
CELERY_TASK_DEFAULT_QUEUE = env_text("CELERY_QUEUE", "concord")
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
# How often expired leases come back and active runs are nudged.
SWEEP_SECONDS = env_int("SWEEP_SECONDS", 15)
CELERY_BEAT_SCHEDULE = {
    "return-expired-leases": {
        "task": "judges.tasks.sweep_leases",
        "schedule": schedule(SWEEP_SECONDS),
    },
    "release-expired-places": {"task": "judges.tasks.release_places", "schedule": schedule(60)},
    "tend-uploads": {"task": "judges.tasks.tend_uploads", "schedule": schedule(60)},
    "remove-quotes": {"task": "judges.tasks.remove_quotes", "schedule": schedule(60)},
    "delete-due-studies": {"task": "judges.tasks.delete_due_studies", "schedule": schedule(600)},
    "purge-deleted-judges": {"task": "judges.tasks.purge_judges", "schedule": schedule(600)},
}
if not REDIS_URL:
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "messages"),
        "data_folder_out": str(BROKER_DIR / "messages"),
        "control_folder": str(BROKER_DIR / "control"),
        "polling_interval": 0.2,
    }

# Judges: which hosts a judge may call besides the providers' of judges/endpoints/providers, as
# host:port, or host for all its ports. In production a name or an address of this machine counts
# only with its port. Ollama and vLLM listen at these two; the demo adds its own model's.
ENDPOINT_HOSTS = env_list(
    "ENDPOINT_HOSTS",
    "" if PRODUCTION else "127.0.0.1:11434,localhost:11434,127.0.0.1:8000,localhost:8000",
)
# What lists the programs that are shown what raters give: annotate tells raters, judges knows.
PROGRAMS_SHOWN = "judges.runs.disclosure.showings"
# What is told that lists are wanted from what a rater picked: judges makes them.
TASTE_MAKER = "judges.runs.making.make.ask"
# Seconds beyond an endpoint's time-out after which a call's worker counts as lost.
LEASE_MARGIN_SECONDS = env_int("LEASE_MARGIN_SECONDS", 30)
# Folder of the ONNX model and tokenizer of BERTScore; without it such a judge says so.
BERT_SCORE_MODEL = env_text("BERT_SCORE_MODEL")
# Folder of the ONNX model, tokenizer and config of NLI judges; without it they say so.
NLI_MODEL = env_text("NLI_MODEL")
# Folder of folders, one for each model that judges of pairs may use.
PAIR_MODELS = env_text("PAIR_MODELS")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"tokens": {"()": "annotate.http.headers.TokenFilter"}},
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "plain",
            "filters": ["tokens"],
        }
    },
    "root": {"handlers": ["console"], "level": env_text("LOG_LEVEL", "INFO")},
    "loggers": {
        "httpx2": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        # By itself runserver's logger has a handler of its own, which knows nothing of the filter.
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
    },
}
