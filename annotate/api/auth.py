"""Identify the caller of the HTTP API: a token in the Authorization header, or a session.

What a caller may do is looked up at every call, so a token never exceeds its user's role.
"""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied, Throttled
from rest_framework.throttling import SimpleRateThrottle

from annotate.design import access
from annotate.http.headers import client_ip
from annotate.models import ApiToken, Study

REFUSED = "This token is not known, was revoked or has expired. Make one on the page API tokens."


class Requests(SimpleRateThrottle):
    """Limit the requests of a token, or of a person who is logged in."""

    scope = "requests"

    def get_cache_key(self, request, view):
        who = f"token-{request.auth.pk}" if request.auth else f"user-{request.user.pk}"
        return f"api-requests-{who}"


class Failures(SimpleRateThrottle):
    """Limit the wrong tokens of an address; only they count."""

    scope = "failures"

    def get_cache_key(self, request, view):
        return f"api-failures-{client_ip(request)}"

    def refuse(self, request):
        """Answer a wrong token: 401, and 429 after too many; a right one is never asked to wait."""
        if not self.allow_request(request, None):
            raise Throttled(self.wait())
        raise AuthenticationFailed(REFUSED)


class TokenAuthentication(BaseAuthentication):
    """Authorization: Bearer TOKEN. Never from the address: addresses are logged."""

    def authenticate(self, request):
        scheme, _, secret = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = ApiToken.objects.find_valid(secret.strip())
        if token is None:
            Failures().refuse(request)
        token.note_use()
        return token.user, token

    def authenticate_header(self, request):
        """Return the challenge that makes the answer to a call without a token 401, not 403."""
        return 'Bearer realm="Concord"'


class TokenScheme(OpenApiAuthenticationExtension):
    """Name the token's scheme in the OpenAPI schema."""

    target_class = "annotate.api.auth.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema):
        return {"type": "http", "scheme": "bearer", "description": "A token of page API tokens."}


def studies_of(request):
    """Return the studies that this caller sees."""
    studies = Study.objects.visible_to(request.user)
    return request.auth.reached(studies) if request.auth else studies


def study_of(request, slug):
    """Return the study, with the caller's role; 404 where the caller does not see it."""
    study = access.study_or_404(request.user, slug)
    if request.auth and not request.auth.all_studies:
        access.exists_or_404(request.auth.studies.filter(pk=study.pk))
    return study


def check_writing(request, study=None):
    """Raise PermissionDenied if the caller only reads; study: the study to change."""
    if request.auth and not request.auth.may_write:
        raise PermissionDenied("This token only reads; make one that may write.")
    if study is None and request.auth and not request.auth.all_studies:
        raise PermissionDenied("This token is for chosen studies, so it cannot make new ones.")
    if study is not None and not study.may_edit:
        raise PermissionDenied(
            "You are a viewer of this study: only its editors and owners change it."
        )
