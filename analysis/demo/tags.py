"""Put the demo's gallery on the page of studies, whose app knows nothing of analyses."""

from django import template

from analysis.demo.gallery import gallery_of

register = template.Library()
register.simple_tag(gallery_of)
