"""Show the glossary to everybody: it says nothing of any study."""

from django.shortcuts import render

from analysis.glossary.terms import terms_by_key


def glossary(request):
    """Show each term with its meaning."""
    return render(request, "analysis/glossary.html", {"terms": terms_by_key().values()})
