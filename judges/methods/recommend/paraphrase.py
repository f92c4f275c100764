"""A recommender's prompt in other words, by an LLM: asked for once, checked, and kept as a prompt.

Only the template is shown, never a recipient's data. What comes back is one of the study's own
prompts as if somebody had written it, and is compared as any other wording is.
"""

import re
from collections import Counter
from string import Template

from asgiref.sync import async_to_sync

from annotate.models.study import slug_rule
from judges.endpoints.client import Client
from judges.models import Judge
from judges.prompting import fill, own
from judges.prompting.library import prompt_of
from judges.replies.parse import storable
from judges.values.dialects import spoken

PART = "paraphrase.v1"
MOST_TOKENS = 2000  # where the model may think before it replies
WRAPPED = re.compile(r"\A(?:<<<WORDING\n(.*)\nWORDING>>>|```[a-z]*\n(.*)\n```)\Z", re.DOTALL)


class Refused(ValueError):
    """There is no paraphrase; the message says why, and what came back."""


def of_name(judge, name):
    """The study's own prompt of that name, its newest version, or None; Refused for a bad name."""
    if not slug_rule.regex.match(name):
        raise Refused(f"Found the name {name!r:.80} for a paraphrase. {slug_rule.message}")
    found = own.newest(judge.study_id, name)
    if found and found.method != Judge.Method.RECOMMENDER:
        raise Refused(f"The study’s prompt {found.key} asks something else. Choose another name.")
    return found


def paraphrase(judge, endpoint, name, user=None):
    """The new prompt, with who wrote it: what the endpoint makes of the judge's prompt."""
    before = prompt_of(judge)
    original = before.text.strip()
    answer = async_to_sync(_ask)(endpoint, original)
    if answer.failure:
        raise Refused(
            f"The endpoint {endpoint.key} wrote no paraphrase: {answer.failure}. "
            f"{answer.detail[:200]}".rstrip()
        )
    text = unwrapped(storable(answer.content))
    if problem := problem_of(original, text, answer.finish_reason):
        raise Refused(
            f"What the endpoint {endpoint.key} wrote cannot be used as a paraphrase: "
            f"{problem} It wrote: {text[:1000]!r}"
        )
    writer = _written_by(endpoint, before, answer)
    prompt = own.save_new(
        judge.study, name, Judge.Method.RECOMMENDER, text, user, written_by=writer
    )
    if prompt is None:
        raise Refused(f"The study has got a prompt own/{name} meanwhile. Ask again.")
    return prompt


def _written_by(endpoint, before, answer):
    """What is kept of the call: it belongs to no run, so that no run's cost has it."""
    asked = fill.load_part(PART)
    usd = endpoint.cost(answer.tokens_in, answer.tokens_cached, answer.tokens_out)
    return {
        "endpoint": endpoint.key,
        "model": answer.model or endpoint.model,
        "asked": asked.name,
        "asked_sha256": asked.sha256,
        "of": before.name,
        "of_sha256": before.sha256,
        "temperature": None,  # the endpoint's
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "cost_usd": None if usd is None else float(usd),
    }


async def _ask(endpoint, original):
    """No temperature is sent: the endpoint's default."""
    sent = fill.filled(fill.load_part(PART).text, text=original)
    async with Client(endpoint) as client:
        return await client.ask(sent, spoken({"max_tokens": MOST_TOKENS}, endpoint.refused))


def unwrapped(text):
    """The wording without the marker lines or the code fence that are all around it."""
    text = own.normal(text).strip()
    around = WRAPPED.match(text)
    return (around[1] or around[2] or "").strip() if around else text


def problem_of(original, text, finish_reason="stop"):
    """Why a text is no paraphrase of a prompt, in words; "" where it is one."""
    if not text:
        return "the reply is empty."
    if finish_reason == "length":
        return "the reply was cut off."
    if text.split() == original.split():
        return "it is the prompt as it was."
    if lacks := own.problems_of(text, Judge.Method.RECOMMENDER):
        return " ".join(own.in_words(lacks))
    return _places_problem(original, text) or _added_problem(original, text)


def _places_problem(original, text):
    """Each placeholder has to stand as often as in the prompt, which is once in the project's."""
    before, after = _places(original), _places(text)
    wrong = sorted(name for name in before | after if before[name] != after[name])
    said = (f"${name} stands {after[name]} times instead of {before[name]}" for name in wrong)
    return f"{'; '.join(said)}." if wrong else ""


def _places(text):
    found = Template.pattern.finditer(text)
    return Counter(one["named"] or one["braced"] for one in found if one["named"] or one["braced"])


def _added_problem(original, text):
    """A number or a marker that the prompt has not: it would ask for something else."""
    for what, pattern in (("number", r"\d+"), ("marker", fill.MARKERS.pattern)):
        known = set(re.findall(pattern, original))
        if more := [one for one in re.findall(pattern, text) if one not in known]:
            return f"it has the {what} {more[0]}, which the prompt has not."
    return ""
