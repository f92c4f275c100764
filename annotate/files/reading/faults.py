"""Say what a field of a pydantic model can hold, and put what pydantic refuses into our words."""

from enum import Enum
from typing import get_args

from pydantic import BaseModel

from annotate.values.wrong import quoted


def choices_of(model, name):
    """Return [(value, words)] of a field that is a choice; None of another one."""
    kind = model.model_fields[name].annotation
    return kind.choices if isinstance(kind, type) and issubclass(kind, Enum) else None


def limit_of(model, name, which):
    """Return a limit of a field: `ge`, `le`, `min_length` or `max_length`; None without one."""
    limits = (getattr(limit, which, None) for limit in model.model_fields[name].metadata)
    return next((limit for limit in limits if limit is not None), None)


def allowed(model, name):
    """Say in words what a field can be."""
    if choices := choices_of(model, name):
        return ", ".join(value for value, _ in choices)
    kind = model.model_fields[name].annotation
    kinds = (kind, *get_args(kind))
    if bool in kinds:
        return "true or false"
    low, high, fewest, most = (
        limit_of(model, name, which) for which in ("ge", "le", "min_length", "max_length")
    )
    if int in kinds or float in kinds:
        null = ", or null" if type(None) in kinds else ""
        return f"a {'whole ' if int in kinds else ''}number from {low} to {high}{null}"
    return f"a text of {fewest or 0} to {most} characters" if kind is str else "a list"


def faults(error, kind, words):
    """Yield (place, message) of a pydantic error: a place lists keys and numbers of entries.

    kind: the model that was validated, or the type of a list of them.
    words: {pydantic's type of a fault: function of the fault and `kind` that says it otherwise}.
    """
    for fault in error.errors(include_url=False):
        raised = fault.get("ctx", {}).get("error")
        say = words.get(fault["type"], _not_allowed)
        message = str(raised) if raised else say(fault, kind)
        yield (*fault["loc"], *getattr(raised, "place", ())), message


def _not_allowed(fault, kind):
    *around, name = fault["loc"]
    return f"found {quoted(fault['input'])}; allowed is {allowed(model_at(kind, around), name)}"


def model_at(kind, place):
    """Return the model of the mapping at a place."""
    for part in place:
        if isinstance(part, str):
            kind = _model_in(kind).model_fields[part].annotation
    return _model_in(kind)


def _model_in(kind):
    """Return the model that a type is, or that its lists and options hold."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    return next(filter(None, map(_model_in, get_args(kind))), None)
