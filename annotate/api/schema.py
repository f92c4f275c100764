"""Serve the OpenAPI schema of the HTTP API, its page, and the answer to unknown addresses."""

from django.conf import settings
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_page
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import TemplateHTMLRenderer
from rest_framework.views import APIView

from annotate.api.errors import NOT_FOUND

TEXT = {"type": "string"}
PROBLEM = {
    "type": "object",
    "required": ["row", "field", "message"],
    "properties": {
        "row": {"type": ["integer", "null"], "description": "Of the rows sent, counted from 1."},
        "field": {"type": "string", "description": "Its column; empty: the row as a whole."},
        "message": {"type": "string", "description": "What was found and what is allowed."},
    },
}
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": TEXT | {"description": "One word for programs."},
                "message": TEXT | {"description": "For people."},
                "fields": {
                    "type": "object",
                    "additionalProperties": {"type": "array", "items": TEXT},
                    "description": "What is wrong by field or parameter.",
                },
                "problems": {"type": "array", "items": PROBLEM, "maxItems": 50},
                "problem_count": {"type": "integer", "description": "All of them."},
            },
        }
    },
}
# status: (what it means, its code, a message)
ERRORS = {
    "400": ("The request is not as this schema says.", "invalid", "limit: Found 0."),
    "401": ("No token, or not a valid one.", "not_authenticated", "A token is missing."),
    "403": (
        "The caller sees the study, but may not do this.",
        "permission_denied",
        "This token only reads; make one that may write.",
    ),
    "404": ("It is not there, or the caller cannot see its study.", "not_found", NOT_FOUND),
    "409": (
        "It does not fit what the study holds; nothing was changed.",
        "conflict",
        "1 problem; nothing was loaded.",
    ),
    "413": ("The body is too large.", "too_large", "The body has 9.5 MB; allowed are 8.0 MB."),
    "415": ("The body is no application/json.", "unsupported_media_type", "Unsupported media type"),
    "429": (
        "Too many requests; Retry-After says how many seconds to wait.",
        "throttled",
        "Request was throttled. Expected available in 12 seconds.",
    ),
    "500": ("A fault of the server, which was logged.", "server_error", "Something went wrong."),
}
READING = ("400", "401", "404", "429", "500")
METHODS = ("get", "post", "patch")


def add_errors(result, generator, request, public):
    """Add these errors, in their one form, to every operation; a hook of drf-spectacular."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Error"] = ERROR
    components["responses"] = {f"Error{status}": _response(*ERRORS[status]) for status in ERRORS}
    components["responses"]["Error429"]["headers"] = {
        "Retry-After": {"schema": {"type": "integer", "minimum": 1}, "description": "Seconds."}
    }
    for operations in result["paths"].values():
        for method in METHODS:
            if method in operations:
                statuses = READING if method == "get" else ERRORS
                answers = operations[method]["responses"]
                for status in sorted({*statuses, *(answers.keys() & ERRORS.keys())}):
                    answers[status] = {"$ref": f"#/components/responses/Error{status}"}
    return result


def _response(about, code, message):
    example = {"error": {"code": code, "message": message}}
    schema = {"$ref": "#/components/schemas/Error"}
    return {
        "description": about,
        "content": {"application/json": {"schema": schema, "example": example}},
    }


class StrictSerializer(OpenApiSerializerExtension):
    """Say in the schema that names which are not listed are refused."""

    target_class = "annotate.api.fields.Strict"
    match_subclasses = True

    def map_serializer(self, auto_schema, direction):
        mapped = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return mapped | {"additionalProperties": False}


@method_decorator(cache_page(3600), name="dispatch")
class Schema(SpectacularAPIView):
    """Serve the OpenAPI schema, which is the same for everybody and made once an hour."""

    content_negotiation_class = DefaultContentNegotiation
    generator_class = SchemaGenerator
    throttle_classes = ()


class Docs(SpectacularSwaggerSplitView):
    """Page: every operation, to be read and tried."""

    url_name = "schema"
    template_name = "annotate/api_docs.html"
    template_name_js = "annotate/api_docs.js"
    renderer_classes = [TemplateHTMLRenderer]
    content_negotiation_class = DefaultContentNegotiation
    authentication_classes = ()
    throttle_classes = ()


class Nowhere(APIView):
    """Answer unknown addresses below /api/."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = ()

    def initial(self, request, *args, **kwargs):
        """Raise NotFound, whatever the method."""
        end = "" if request.path.endswith("/") else " Addresses of the API end with a slash."
        raise NotFound(f"There is no such address.{end} See {settings.SITE_URL}/api/docs/.")
