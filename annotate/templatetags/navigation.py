"""List the six areas of a study and the pages of the current one, for the top of every page."""

from django import template
from django.urls import reverse

from annotate.design.access import EDITOR, OWNER, RANK, VIEWER

register = template.Library()

# {area: [(route, words, the least role that sees it)]}; a page's section is its route.
AREAS = {
    "Overview": [("study", "Overview", VIEWER)],
    "Set up": [
        ("questionnaire", "Questions", EDITOR),
        ("items", "Items", VIEWER),
        ("settings", "Settings", EDITOR),
    ],
    "Raters": [("raters", "Links and progress", VIEWER), ("quality", "Quality", VIEWER)],
    "Judges": [
        ("judges", "Judges", VIEWER),
        ("models", "Models", OWNER),
        ("prompts", "Prompts", VIEWER),
        ("runs", "Runs", VIEWER),
    ],
    "Results": [("analysis", "Results", VIEWER)],
    "Data": [
        ("bring_into", "Bring data", EDITOR),
        ("load", "Load files", EDITOR),
        ("export", "Export", VIEWER),
    ],
}


@register.inclusion_tag("_study_nav.html")
def study_nav(study, section):
    """Return the context of both rows of links: areas, and pages where an area has several."""
    areas, pages, current = [], [], ""
    for area, routes in AREAS.items():
        shown = [
            {"words": words, "url": reverse(route, args=[study.slug]), "is_here": route == section}
            for route, words, least in routes
            if RANK[study.role] >= RANK[least]
        ]
        is_here = section in [route for route, *_ in routes]
        areas.append({"words": area, "url": shown[0]["url"], "is_here": is_here})
        if is_here:
            pages, current = shown, area
    return {"areas": areas, "area": current, "pages": pages if len(pages) > 1 else []}
