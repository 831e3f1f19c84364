"""Users, sign-in, mail and tokens."""

from datetime import timedelta

from leaderboard.settings.variables import EMAIL_URL, REDIS_URL, SITE_NAME

AUTH_USER_MODEL = "leaderboard.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
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
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "challenges"

AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
# By both: a stranger can lock out neither a user everywhere nor all users of a shared address.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_LOCKOUT_TEMPLATE = "pages/locked.html"

# Accounts: django-allauth behind our own pages, see `leaderboard.pages.accounts`

ACCOUNT_ADAPTER = "leaderboard.pages.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_FORMS = {
    "add_email": "leaderboard.pages.accounts.forms.AddressForm",
    "change_email": "leaderboard.pages.accounts.forms.AddressForm",
    "reauthenticate": "leaderboard.pages.accounts.forms.ConfirmForm",
}
# What `leaderboard.auth.signing_in` decides otherwise, it decides for each sign-in.
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"[{SITE_NAME}] "
# THROTTLE_SIGN_IN limits these pages, and the operator sets it.
ACCOUNT_RATE_LIMITS = {"login": "", "signup": ""}

MFA_ADAPTER = "leaderboard.pages.accounts.second_factor.SecondFactorAdapter"
MFA_FORMS = {
    "add_webauthn": "leaderboard.pages.accounts.forms.KeyForm",
    "activate_totp": "leaderboard.pages.accounts.forms.AppForm",
    "authenticate": "leaderboard.pages.accounts.forms.CodeOfFactorForm",
    "reauthenticate": "leaderboard.pages.accounts.forms.ConfirmByCodeForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_ISSUER = SITE_NAME

SOCIALACCOUNT_ADAPTER = "leaderboard.pages.accounts.provider_adapter.ProviderAdapter"

SENDS_MAIL = EMAIL_URL is not None
MAIL_IN_BACKGROUND = True
EMAIL_TIMEOUT = 20
if EMAIL_URL is not None:
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST, EMAIL_PORT = EMAIL_URL.host, EMAIL_URL.port
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = EMAIL_URL.user, EMAIL_URL.password
    EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_URL.starttls, EMAIL_URL.ssl
else:
    # One process prints mail where its operator sees it; several have no such place.
    EMAIL_BACKEND = f"django.core.mail.backends.{'dummy' if REDIS_URL else 'console'}.EmailBackend"

# Tokens are in a table of ours, so Knox's own table is not made.
MIGRATION_MODULES: dict[str, str | None] = {"knox": None}
KNOX_TOKEN_MODEL = "leaderboard.ApiToken"  # noqa: S105 - the name of a model
REST_KNOX = {
    "TOKEN_TTL": None,
    "AUTH_HEADER_PREFIX": "Bearer",
    "TOKEN_PREFIX": "pod_",
}
