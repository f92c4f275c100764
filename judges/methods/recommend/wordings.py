"""The words of a recommender's prompt, and those that stand in for them in a test: *other wording*.

A translation or a paraphrase is a prompt as any other, the project's or the study's own, frozen by
its hash. Titles and ratings are put into it as into the first, so it can neither lose nor change
one; what it has to have a place for is checked before anything is asked.
"""

from string import Template

from judges.models import Judge
from judges.perturbations.relations import named
from judges.prompting.library import Library

FREE = {"word"}  # what a content is called: a translation may say it itself


def prompts_of(judge, trial):
    """{name: Prompt} of a trial's other wordings; ValueError says what is wrong with one."""
    library = Library(judge.study_id)
    found = {}
    for key, options in trial.relations:
        if named(key).acts_on == "words":
            name = options["prompt"]
            found[name] = _checked(library, judge, name)
    return found


def _checked(library, judge, name):
    usual = library.load(judge.prompt)
    if not library.has(name):
        there = [one for one in library.names(Judge.Method.RECOMMENDER) if one != judge.prompt]
        raise ValueError(
            f"found the wording {name!r:.60}; allowed are prompts of this study or the project "
            f"that ask for recommendations: {', '.join(there)}."
        )
    prompt = library.load(name)
    if name == judge.prompt or prompt.text == usual.text:
        raise ValueError(f"the wording {name} is the recommender’s own prompt: nothing changes.")
    mine, its = _places(usual), _places(prompt)
    if mine != its:
        lost = ", ".join(f"${place}" for place in sorted(mine - its)) or "nothing"
        more = ", ".join(f"${place}" for place in sorted(its - mine)) or "nothing"
        raise ValueError(
            f"the wording {name} says something else than {judge.prompt}: it has no place for "
            f"{lost}, and besides one for {more}."
        )
    return prompt


def _places(prompt):
    return set(Template(prompt.text).get_identifiers()) - FREE


def texts_of(judge, trial):
    """{name: text} of the prompts that a trial fills; "" is the recommender's own."""
    own = Library(judge.study_id).load(judge.prompt)
    others = prompts_of(judge, trial)
    return {"": own.text} | {name: prompt.text for name, prompt in others.items()}


def text_for(texts, relation, options):
    """The one of them that a relation fills."""
    return texts[options["prompt"] if relation.acts_on == "words" else ""]


def kept(prompts):
    """What a run keeps of them: nothing where there are none."""
    found = {name: {"sha256": one.sha256, "text": one.text} for name, one in prompts.items()}
    for name, one in prompts.items():
        if one.written_by:
            found[name]["written_by"] = one.written_by
    return {"wordings": found} if found else {}
