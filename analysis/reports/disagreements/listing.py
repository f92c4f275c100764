"""Collect what people and judges said about the items of one page of disagreements."""

from collections import defaultdict

from analysis.answers import frame
from analysis.options.choices import ALL
from analysis.reports.disagreements.disagreements import AVERAGE
from annotate.models import Rating
from judges.models import Judgment


def with_answers(reader, rows, role=ALL, scores=None):
    """Return each row with its item, the ratings with reasons, and the judges' rationales.

    role: of the people whom the rows compare with, whose ratings alone are shown. scores: of these
    rows, where conditions leave out answers.
    Two queries, whatever the number of rows: the reader knows questions and runs already, and
    somebody has rated each item of the list.
    """
    asked = {row["question"] for row in rows}
    questions = [q for q in reader.questions if AVERAGE in asked or q.key in asked]
    wanted = {row["item"] for row in rows}
    pks = [row[0] for row in reader.item_rows if row[1] in wanted]
    ratings = _ratings(pks, questions, reader.version, role)
    items = {rated[0].item.key: rated[0].item for rated in ratings.values()}
    judged = _judged(reader.judges.runs, pks, questions)
    return [
        {
            "row": row,
            "item": (item := items[row["item"]]),
            "text": item.text or (item.content.title if item.content else "") or "(no text)",
            "ratings": _of_question(_left_in(ratings[item.pk], scores), row["question"]),
            "judged": _of_judge(_left_in(judged[item.pk], scores), row),
        }
        for row in rows
        if row["item"] in items
    ]


def _ratings(items, questions, version, role):
    ratings_by_item = defaultdict(list)
    rows = Rating.objects.for_analysis().filter(item__in=items, question__in=questions)
    rows = rows if version is None else rows.filter(session__version=version)
    rows = rows if role == ALL else rows.filter(session__rater__role=role)
    item = ("item__content", "item__system", "item__recipient")
    rows = rows.select_related("session__rater", "question", *item)
    for rating in rows.order_by("question__position", "pk"):
        ratings_by_item[rating.item_id].append(rating)
    return ratings_by_item


def _judged(runs, items, questions):
    judgments_by_item = defaultdict(list)
    rows = frame.judge_answers(runs).filter(item__in=items)
    rows = rows.filter(question__in=questions).order_by("question__position", "run", "sample")
    for judgment in rows.select_related("question"):
        judgment.name = runs[judgment.run_id]
        judgments_by_item[judgment.item_id].append(judgment)
    return judgments_by_item


def _left_in(answers, scores):
    """Leave out the ratings or judgments that conditions on their own columns leave out."""
    if scores is None:
        return answers
    columns = {Rating: scores.answers.rating_columns, Judgment: scores.answers.judgment_columns}
    return [answer for answer in answers if scores.takes(answer.data, columns[type(answer)])]


def _of_question(answers, question):
    return [answer for answer in answers if question in (AVERAGE, answer.question.key)]


def _of_judge(judgments, row):
    """Keep the answers of the row's judge; of all judges where the row is about people alone."""
    own = [judgment for judgment in judgments if judgment.name == row["evaluator"]]
    alone = row["evaluator"] == "humans"
    return _of_question(judgments if alone else own, row["question"])
