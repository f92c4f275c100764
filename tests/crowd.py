"""A study of P4 as files: twelve cells of score and rank, a history of nine films each."""

from annotate.studies.templates import FOLDER
from tests import files

SCORES = ("CF", "CF-A", "Item-Sim", "Genre-Jacc")
RANKS = ("highest", "lowest", "mean")
SEEN = 9
# The template of the pages has the seven questions, the check and the exit questions.
WHOLE = (FOLDER / "explanations-seven.yaml").read_text()
# Its consent gives way to that of MORE.
TEMPLATE = WHOLE[: WHOLE.index("consent:")] + WHOLE[WHOLE.index("instructions:") :]
MORE = """\
show_history: 9
consent: You take part **of your own will**.
platform: {name: prolific, codes: {screened_out: OUT1}}
completion_code: DONE4711
comprehension:
  attempts: 2
  questions:
    - {text: "What do you rate?", options: [The film, The explanation], answer: The explanation}
"""


def cells():
    """[(item, recipient, content, system, explanation)]: one explanation of each cell."""
    found = []
    for number in range(1, len(SCORES) * len(RANKS) + 1):
        score, rank = SCORES[(number - 1) // len(RANKS)], RANKS[(number - 1) % len(RANKS)]
        because = f"Because you watched Seen {number}.1, Seen {number}.4 and Seen {number}.9."
        found.append((f"e{number}", f"u{number}", f"best{number}", f"{score} {rank}", because))
    return found


def history(number):
    """What stands on the page of what a recipient chose, the latest first."""
    return [f"Seen {number}.{n} {1990 + n}" for n in range(SEEN, 0, -1)]


def tables():
    """contents, interactions and items as CSV."""
    contents, seen, items = ["content,title,year"], ["recipient,content,at"], []
    for number, (item, recipient, content, system, because) in enumerate(cells(), start=1):
        contents.append(f"{content},Recommended {number},2001")
        items.append(f'{item},explanation,{recipient},{content},{system},"{because}"')
        for n in range(1, SEEN + 1):
            contents.append(f"s{number}-{n},Seen {number}.{n},{1990 + n}")
            seen.append(f"{recipient},s{number}-{n},2024-05-0{n}T12:00:00Z")
    items.insert(0, "item,kind,recipient,content,system,text")
    found = {"contents": contents, "interactions": seen, "items": items}
    return {name: "\n".join(lines) + "\n" for name, lines in found.items()}


def load(folder):
    """The study, loaded from its files."""
    study = TEMPLATE.replace("study: explanations-seven", "study: crowd")
    study = study.replace("raters_per_item: 3", "raters_per_item: 1") + MORE
    loading = files.load(folder, study=study, **tables())
    assert not loading.problems, loading.problems.shown
    return loading.study
