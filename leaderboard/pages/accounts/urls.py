"""The routes of accounts. Those of django-allauth are listed one by one; all others are off."""

from __future__ import annotations

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from leaderboard.pages.accounts.connections import connections_page
from leaderboard.pages.accounts.device import device_page
from leaderboard.pages.accounts.link import link_page
from leaderboard.pages.accounts.mail import mail_page
from leaderboard.pages.accounts.notices import notice_page, notices_page, unsubscribe
from leaderboard.pages.accounts.own import data_page, delete_page, name_page, sessions_page
from leaderboard.pages.accounts.passwords import PasswordView
from leaderboard.pages.accounts.people import (
    accounts_page,
    accounts_removed,
    link_end,
    people_page,
)
from leaderboard.pages.accounts.provider_pages import connect_page, from_provider, to_provider
from leaderboard.pages.accounts.provider_sign_up import ProviderSignUpView
from leaderboard.pages.accounts.reset import reset_page
from leaderboard.pages.accounts.sign_in import PagesSignInView
from leaderboard.pages.accounts.sign_up import SignUpView

_sign_in = PagesSignInView.as_view()
_sign_out = LogoutView.as_view()

urlpatterns: list[URLPattern] = [
    path("sign-up/", SignUpView.as_view(), name="account_signup"),
    path("sign-in/", _sign_in, name="login"),
    path("sign-in/", _sign_in, name="account_login"),
    path("sign-in/with/<slug:provider_id>/", to_provider, name="openid_connect_login"),
    path("sign-in/with/<slug:provider_id>/back/", from_provider, name="openid_connect_callback"),
    path("sign-up/name/", ProviderSignUpView.as_view(), name="socialaccount_signup"),
    path("sign-out/", _sign_out, name="logout"),
    path("sign-out/", _sign_out, name="account_logout"),
    path("device/", device_page, name="device"),
    path("link/", link_page, name="link"),
    path("password/reset/", reset_page, name="password-reset"),
    path("people/", people_page, name="people"),
    path("people/accounts/", accounts_page, name="people-accounts"),
    path("people/accounts/remove/", accounts_removed, name="people-accounts-remove"),
    path("people/links/<int:pk>/end/", link_end, name="people-link-end"),
    path("account/mail/", mail_page, name="account-mail"),
    path("notices/", notices_page, name="notices"),
    path("notices/<uuid:pk>/", notice_page, name="notice"),
    path("notices/off/<str:token>/", unsubscribe, name="unsubscribe"),
    path("account/password/", PasswordView.as_view(), name="password"),
    path("account/confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("account/email/", account.email, name="account_email"),
    path(
        "account/email/sent/",
        account.email_verification_sent,
        name="account_email_verification_sent",
    ),
    path("account/email/<str:key>/", account.confirm_email, name="account_confirm_email"),
    path("sign-in/code/", mfa.authenticate, name="mfa_authenticate"),
    path("sign-in/passkey/", webauthn.login_webauthn, name="mfa_login_webauthn"),
    path("account/confirm/code/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path(
        "account/confirm/key/",
        webauthn.reauthenticate_webauthn,
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/security/", mfa.index, name="mfa_index"),
    path("account/security/app/", totp.activate_totp, name="mfa_activate_totp"),
    path("account/security/app/off/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("account/security/codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "account/security/codes/new/",
        codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/security/codes/download/",
        codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
    path("account/security/keys/", webauthn.list_webauthn, name="mfa_list_webauthn"),
    path("account/security/keys/add/", webauthn.add_webauthn, name="mfa_add_webauthn"),
    path(
        "account/security/keys/<int:pk>/remove/",
        webauthn.remove_webauthn,
        name="mfa_remove_webauthn",
    ),
    path("account/security/keys/<int:pk>/edit/", webauthn.edit_webauthn, name="mfa_edit_webauthn"),
    path("account/name/", name_page, name="account-name"),
    path("account/sessions/", sessions_page, name="account-sessions"),
    path("account/providers/", connections_page, name="socialaccount_connections"),
    path("account/providers/<slug:provider_id>/", connect_page, name="openid-connect"),
    path("account/data/", data_page, name="account-data"),
    path("account/delete/", delete_page, name="account-delete"),
    path("account/inactive/", account.account_inactive, name="account_inactive"),
]
