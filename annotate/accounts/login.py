"""Log users in: with a password, or once with a link that an operator made."""

from django.contrib.auth import get_user_model, login
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables


class OneTimeLogin(PasswordResetTokenGenerator):
    """Make tokens that a login uses up: the time of the last login is part of what is signed."""

    key_salt = "annotate.one-time-login"

    def _make_hash_value(self, user, timestamp):
        """Sign the last login to the microsecond; Django cuts it to the second."""
        micros = user.last_login.microsecond if user.last_login else ""
        return f"{super()._make_hash_value(user, timestamp)}{micros}"


one_time_login = OneTimeLogin()


def login_path(user):
    """Return the path that logs this user in once, within a day."""
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("login_once", args=[uid, one_time_login.make_token(user)])


def _user_or_404(uid):
    try:
        pk = int(urlsafe_base64_decode(uid).decode())
        return get_user_model().objects.get(pk=pk, is_active=True)
    except (ValueError, OverflowError, ValidationError, get_user_model().DoesNotExist):
        raise Http404("no such login link") from None


@never_cache
@sensitive_variables("token")
def login_once(request, uid, token):
    """Page with one button: a link scanner that only opens the address does not use it up."""
    user = _user_or_404(uid)
    if not one_time_login.check_token(user, token):
        return render(request, "annotate/login_used.html", status=410)
    if request.method != "POST":
        return render(request, "annotate/login_once.html", {"user_name": user.get_username()})
    with transaction.atomic():
        is_first = _take_link(user)
        if is_first:
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    if not is_first:
        return render(request, "annotate/login_used.html", status=410)
    return redirect("studies")


def _take_link(user):
    """Use up every link of this user; False where another login did so since the user was read."""
    same = get_user_model().objects.filter(pk=user.pk, last_login=user.last_login)
    return same.update(last_login=timezone.now()) == 1
