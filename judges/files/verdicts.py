"""Load judges of study.yaml that do not answer the study's questions as people do.

They give a verdict (whether a recommendation fits, which list does, whether a statement is
supported), write profiles, recommend, extract statements or propose topics.
"""

from annotate.files.reading import quoted
from judges import methods
from judges.methods.extract import topics
from judges.models import Judge
from judges.models.judge import MOST_DAYS, MOST_EPISODES, MOST_TRANSCRIPT
from judges.models.statement import LEAST_PART, MOST_PART, MOST_STATEMENTS
from judges.models.topic import MOST_REVIEWS, MOST_SAMPLES, MOST_TOPICS
from judges.runs import check

BOTH = (
    "method",
    "endpoint",
    "prompt",
    "question",
    "temperature",
    "max_tokens",
    "samples",
    "context",
    "history_length",
    "transcript_length",
    "profile_episodes",
)
VERDICT_KEYS = {
    Judge.Method.FIT: (*BOTH, "neutral"),
    Judge.Method.PAIRWISE: (*BOTH, "dimensions", "order", "seed"),
    Judge.Method.SUPPORT: (
        "method",
        "endpoint",
        "prompt",
        "question",
        "temperature",
        "max_tokens",
        "samples",
    ),
    Judge.Method.PROFILE: (
        "method",
        "endpoint",
        "prompt",
        "days",
        "episodes",
        "pick",
        "transcript_length",
        "temperature",
        "max_tokens",
    ),
    Judge.Method.RECOMMENDER: (
        "method",
        "endpoint",
        "prompt",
        "content_word",
        "json_list",
        "max_tokens",
    ),
    Judge.Method.EXTRACTION: (
        "method",
        "endpoint",
        "prompt",
        "topics",
        "sides",
        "part_length",
        "most_statements",
        "temperature",
        "max_tokens",
    ),
    Judge.Method.TOPICS: (
        "method",
        "endpoint",
        "prompt",
        "sides",
        "reviews",
        "review_samples",
        "most_topics",
        "seed",
        "temperature",
        "max_tokens",
    ),
}
VERDICT_SETTINGS = (
    "method",
    "question",
    "neutral",
    "dimensions",
    "order",
    "days",
    "episodes",
    "pick",
    "transcript_length",
    "profile_episodes",
    "content_word",
    "json_list",
    "topics",
    "sides",
    "part_length",
    "most_statements",
    "reviews",
    "review_samples",
    "most_topics",
)
PROMPTS = {
    Judge.Method.FIT: "fit.v1",
    Judge.Method.PAIRWISE: "pairwise.v1",
    Judge.Method.PROFILE: "write-profile.v1",
    Judge.Method.RECOMMENDER: "recommend.v1",
    Judge.Method.EXTRACTION: "extract.v1",
    Judge.Method.SUPPORT: "support.v1",
    Judge.Method.TOPICS: "topics.v1",
}
MOST_TOKENS = {
    Judge.Method.FIT: 400,
    Judge.Method.PAIRWISE: 800,
    Judge.Method.PROFILE: 2000,
    Judge.Method.RECOMMENDER: 400,
    Judge.Method.EXTRACTION: 4000,
    Judge.Method.SUPPORT: 20,
    Judge.Method.TOPICS: 400,
}


def read_verdict(reader, judge):
    """Fill a judge of one of these methods; lists and fit are always judged with a reason."""
    judge.temperature = reader.number("temperature", 0.0, 0, 2, (int, float))
    judge.max_tokens = reader.number("max_tokens", MOST_TOKENS[judge.method], 1, 100_000, int)
    judge.endpoint = reader.endpoint()
    judge.prompt = reader.prompt(PROMPTS[judge.method])
    judge.transcript_length = reader.number("transcript_length", 0, 0, MOST_TRANSCRIPT, int)
    if judge.recommends:
        judge.content_word = reader.text("content_word", "movie", 40)
        judge.json_list = reader.yes_or_no("json_list")
    elif judge.writes:
        _read_writer(reader, judge)
    elif judge.extracts:
        _read_extraction(reader, judge)
    elif judge.proposes:
        _read_proposer(reader, judge)
    else:
        _read_verdict(reader, judge)
    for key, problem in check.problems_of(judge, reader.library).items():
        reader.add(key, problem)


def _read_writer(reader, judge):
    judge.days = reader.number("days", 90, 0, MOST_DAYS, int)
    judge.episodes = reader.entry.get("episodes", [])
    judge.pick = reader.choice("pick", Judge.Pick)


def _read_extraction(reader, judge):
    judge.sides = reader.choice("sides", Judge.Sides)
    judge.part_length = reader.number("part_length", 4000, LEAST_PART, MOST_PART, int)
    judge.most_statements = reader.number("most_statements", 100, 1, MOST_STATEMENTS, int)
    judge.topics = _topics(reader)


def _read_proposer(reader, judge):
    judge.sides = reader.choice("sides", Judge.Sides, Judge.Sides.REFERENCE)
    judge.reviews = reader.number("reviews", 20, 1, MOST_REVIEWS, int)
    judge.review_samples = reader.number("review_samples", 5, 1, MOST_SAMPLES, int)
    judge.most_topics = reader.number("most_topics", 10, 1, MOST_TOPICS, int)
    judge.seed = reader.number("seed", 1, 0, 2**31 - 1, int)


def _topics(reader):
    """Return a ready-made list by its name, or the given names with what belongs to each."""
    given = reader.entry.get("topics")
    if isinstance(given, dict):
        return [[name, words or ""] for name, words in given.items()]
    if given in topics.ready():
        return topics.ready()[given]
    reader.add(
        "topics",
        f"found {quoted(given or '')}; allowed is one of {', '.join(topics.ready())}, or names "
        "with what belongs to each, such as {fit: size and length}",
    )
    return topics.ready()["toys"]  # so that nothing else is said of it


def _read_verdict(reader, judge):
    judge.samples = reader.number("samples", 1, 1, 100, int)
    judge.question = str(reader.entry.get("question") or "")
    if judge.method != Judge.Method.SUPPORT:
        _read_reasoned(reader, judge)


def _read_reasoned(reader, judge):
    judge.rationale = True
    judge.profile_episodes = reader.number("profile_episodes", 0, 0, MOST_EPISODES, int)
    judge.context = reader.choice("context", Judge.Context, Judge.Context.PROFILE)
    judge.history_length = reader.number("history_length", 10, 1, 500, int)
    if judge.method == Judge.Method.FIT:
        judge.neutral = reader.yes_or_no("neutral")
    else:
        judge.order = reader.choice("order", Judge.Order)
        judge.seed = reader.number("seed", 1, 0, 2**31 - 1, int)
        if "dimensions" in reader.entry:
            judge.dimensions = reader.entry["dimensions"]


def check_question(loading, reader, judge):
    """Check that the verdict's question is one of the study's, as the file may change it."""
    if judge.method not in VERDICT_KEYS or not judge.question:
        return
    questions = loading.questions or {q.key: q for q in _stored(loading.study)}
    keys = [q.key for q in methods.of_judge(judge).candidates(questions.values())]
    if judge.question not in keys:
        there = ", ".join(keys) or "none"
        words = f"found {quoted(judge.question)}; questions that such a verdict can answer: {there}"
        reader.add("question", words)
        judge.question = judge.question[:60]


def _stored(study):
    return study.questions.all() if study.pk else []
