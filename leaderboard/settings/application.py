"""What the application consists of: its parts, languages, templates and static files."""

from leaderboard.settings.storage import FILE_STORAGE
from leaderboard.settings.variables import DEBUG, FILES_DIR, PACKAGE_DIR, STATIC_ROOT

ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"

INSTALLED_APPS = [
    "leaderboard.apps.LeaderboardConfig",
    "leaderboard.apps.PodiumAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "django_filters",
    "drf_spectacular",
    "django_htmx",
    "csp",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
]

MIDDLEWARE = [
    "leaderboard.monitoring.requests.RequestLogMiddleware",
    "leaderboard.http.proxies.ClientAddressMiddleware",
    "leaderboard.http.headers.HeadersMiddleware",
    # Before the ones that answer requests themselves: redirects and files need these headers too.
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "leaderboard.http.static_files.CompressionMiddleware",
    "leaderboard.http.static_files.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "leaderboard.pages.site.languages.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "leaderboard.pages.site.limits.LimitsMiddleware",
    "leaderboard.pages.site.read_only.ReadOnlyMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
    "leaderboard.pages.site.methods.MethodMiddleware",
    "leaderboard.http.form_encodings.EncodingMiddleware",
    "leaderboard.http.texts_with_nul.NulMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FILES_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.pages.site.context.site",
            ],
            "builtins": ["django.templatetags.i18n", "leaderboard.pages.filters"],
        },
    }
]

TIME_ZONE = "UTC"
USE_TZ = True

# The language of the source, and those that readers may choose from.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
USE_I18N = True
LOCALE_PATHS = [PACKAGE_DIR / "locale", PACKAGE_DIR / "wording"]
FORMAT_MODULE_PATH = ["leaderboard.formats"]

# Static files: from their source folders, or from STATIC_ROOT after `collectstatic`. In both cases
# their names have a hash, so that browsers may cache them for a year.

STATIC_URL = "static/"
STATICFILES_DIRS = [folder for folder in [FILES_DIR / "static"] if folder.is_dir()]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "files": FILE_STORAGE,
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_ROOT
        else "leaderboard.http.static_files.HashedNames"
    },
}
WHITENOISE_USE_FINDERS = not STATIC_ROOT
WHITENOISE_AUTOREFRESH = DEBUG
