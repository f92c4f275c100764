"""Take the words around titles and ratings from another prompt: the relation *other wording*.

Such a prompt is one of the study's own, or the project's where the recommender asks a prompt of
the study's. Titles and ratings are put into it as into the recommender's prompt, so it can neither
lose nor change any; that it has a place for each is checked before the first call.
"""

from string import Template

from judges.models import Judge
from judges.perturbations.relations import named
from judges.prompting import fill
from judges.prompting.library import Library

FREE = {"word"}  # what a content is called: another language may say it itself


def prompts_of(judge, trial):
    """Return {name: Prompt} of a trial's other wordings; ValueError says what is wrong."""
    library = Library(judge.study_id)
    names = [o["prompt"] for key, o in trial.relations if named(key).acts_on == "words"]
    return {name: _checked(library, judge, name) for name in names}


def _checked(library, judge, name):
    usual = library.load(judge.prompt)
    if not library.has(name):
        others = [key for key in library.names(Judge.Method.RECOMMENDER) if key != judge.prompt]
        there = ", ".join(others) or "none yet; write one under Prompts"
        raise ValueError(
            f"found the wording {name!r:.60}; allowed are other prompts that ask for "
            f"recommendations: {there}."
        )
    prompt = library.load(name)
    if name == judge.prompt or prompt.text == usual.text:
        raise ValueError(f"the wording {name} is the recommender’s own prompt: nothing changes.")
    needed, places = _places(usual), _places(prompt)
    if needed != places:
        lost = ", ".join(f"${place}" for place in sorted(needed - places)) or "nothing"
        more = ", ".join(f"${place}" for place in sorted(places - needed)) or "nothing"
        raise ValueError(
            f"the wording {name} says something else than {judge.prompt}: it has no place for "
            f"{lost}, and besides one for {more}."
        )
    return prompt


def _places(prompt):
    return set(Template(prompt.text).get_identifiers()) - FREE


def texts_of(judge, trial):
    """Return {name: text} of the prompts that a trial fills; "" is the recommender's own."""
    own = Library(judge.study_id).load(judge.prompt)
    others = prompts_of(judge, trial)
    return {"": own.text} | {name: prompt.text for name, prompt in others.items()}


def text_for(texts, relation, options):
    """Return the text that a relation fills."""
    return texts[options["prompt"] if relation.acts_on == "words" else ""]


def filled(template, judge, user, rated, scale, k):
    """Write the prompt before it is perturbed. rated: [(title, rating)]; scale: (low, high)."""
    low, high = scale
    shown = (f"{fill.one_line(title)} {rating:g}/{high:g}" for title, rating in rated)
    (message,) = fill.filled(
        template,
        user=fill.one_line(user),
        rated=", ".join(shown),
        low=f"{low:g}",
        high=f"{high:g}",
        k=k,
        word=fill.one_line(judge.settings.content_word),
    )
    return message["content"]


def kept(prompts):
    """Return what a run keeps of other wordings: nothing where there are none."""
    texts = {name: {"sha256": p.sha256, "text": p.text} for name, p in prompts.items()}
    return {"wordings": texts} if texts else {}
