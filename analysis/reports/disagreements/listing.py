"""Collect what people and judges said about the items of one page of disagreements."""

from analysis.answers import frame
from analysis.options.choices import ALL
from analysis.reports.disagreements.disagreements import AVERAGE, PEOPLE
from annotate.models import Rating


def with_answers(reader, rows, role=ALL, scores=None):
    """Return each row with its item, the ratings with reasons, and the judges' rationales.

    role: of the people whom the rows compare with, whose ratings alone are shown. scores: of these
    rows, where conditions leave out answers.
    Two queries, whatever the number of rows: the reader knows questions and runs already, and
    somebody has rated each item of the list.
    """
    asked, wanted = ({row[name] for row in rows} for name in ("question", "item"))
    questions = [q for q in reader.questions if AVERAGE in asked or q.key in asked]
    pks = [row[0] for row in reader.item_rows if row[1] in wanted]
    of_rows, runs = {"item__in": pks, "question__in": questions}, reader.judges.runs
    ratings = Rating.objects.for_analysis().filter(**of_rows)
    if reader.version is not None:
        ratings = ratings.filter(session__version=reader.version)
    if role != ALL:
        ratings = ratings.filter(session__rater__role=role)
    item = ("item__content", "item__system", "item__recipient")
    ratings = ratings.select_related("session__rater", "question", *item)
    ratings = [*ratings.order_by("question__position", "pk")]
    items = {rating.item.key: rating.item for rating in ratings}
    judged = frame.judge_answers(runs).filter(**of_rows).select_related("question")
    judged = [*judged.order_by("question__position", "run", "sample")]
    for judgment in judged:
        judgment.name = runs[judgment.run_id]
    if scores is not None:  # conditions on the answers' own columns
        answers = scores.answers
        ratings = [own for own in ratings if scores.takes(own.data, answers.rating_columns)]
        judged = [own for own in judged if scores.takes(own.data, answers.judgment_columns)]

    def of_row(row, answers):
        own = [answer for answer in answers if answer.item_id == items[row["item"]].pk]
        return [answer for answer in own if row["question"] in (AVERAGE, answer.question.key)]

    return [
        {
            "row": row,
            "item": (item := items[row["item"]]),
            "text": item.text or (item.content.title if item.content else "") or "(no text)",
            "ratings": of_row(row, ratings),
            # All judges where the row is about people alone.
            "judged": [
                judgment
                for judgment in of_row(row, judged)
                if row["evaluator"] in (PEOPLE, judgment.name)
            ],
        }
        for row in rows
        if row["item"] in items
    ]
