"""The file in which a platform says how much its participants have done, and how well."""

import io

import pytest

from annotate.models import QualityStep, Rater
from annotate.quality.rules import RULES, offered, preview
from tests import factories
from tests.annotate.design.test_platform_links import on
from tests.workbooks import workbook

pytestmark = pytest.mark.django_db
PAY = "/studies/films/raters/pay/"
TOLD = f"{PAY}participants/"
# The header of Prolific's demographic export in November 2024.
PROLIFIC = (
    "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,"
    "Reviewed at,Archived at,Time taken,Completion code,Total approvals,Fluent languages,Age"
)


def rater(study, key, **ids):
    session = factories.make_session(study, key, source="web")
    Rater.objects.filter(pk=session.rater_id).update(platform_ids=ids)
    return Rater.objects.get(pk=session.rater_id)


@pytest.fixture
def crowd(study):
    """Three people from Prolific, and one who came by a link."""
    on(study, "prolific")
    for key in ("ann", "bob", "cem"):
        rater(study, key, PROLIFIC_PID=f"5f{key}", SESSION_ID=f"v-{key}", STUDY_ID="s")
    rater(study, "dan")
    return study


def load(client, text, name="people.csv", **columns):
    data = text if isinstance(text, bytes) else text.encode()
    file = io.BytesIO(data)
    file.name = name
    return client.post(TOLD, {"file": file} | columns, follow=True)


def told(study):
    """{key of the rater: (approval rate, tasks)}"""
    return {
        one.key: (one.platform_ids.get("approval_rate"), one.platform_ids.get("task_count"))
        for one in study.raters.all()
    }


def prolific(*rows):
    return (
        "\n".join(
            [
                PROLIFIC,
                *(
                    f"{visit},{pid},APPROVED,,,,,,900,C1,{total},English,31"
                    for visit, pid, total in rows
                ),
            ]
        )
        + "\n"
    )


def test_prolifics_export_tells_the_tasks(as_owner, crowd):
    text = prolific(("v-ann", "5fann", 812), ("v-bob", "5fbob", 12), ("v-x", "5fxxx", 3))
    page = load(as_owner, text).content.decode()
    assert told(crowd) == {
        "ann": (None, 812),
        "bob": (None, 12),
        "cem": (None, None),
        "dan": (None, None),
    }
    assert "Read of 2 raters" in page and "1 participant of the file is no rater" in page
    assert "1 rater from the platform is not in the file" in page
    assert "Not read: Submission id, Status," in page and "Fluent languages, Age" in page


def test_approvals_and_rejections_make_the_rate(as_owner, crowd):
    load(as_owner, "participant_id,num_approvals,num_rejections\n5fann,30,10\n5fbob,0,0\n")
    # 30 of 40 approved: 75 %; nobody judged bob's work yet
    assert told(crowd)["ann"] == (75, 40) and told(crowd)["bob"] == (None, 0)


def test_mturks_batch_file_and_its_list_of_workers(as_owner, study):
    on(study, "mturk")
    for key, worker in (("ann", "A1"), ("bob", "A2"), ("cem", "A3")):
        rater(study, key, workerId=worker, assignmentId=f"as-{key}", hitId="h")
    batch = (
        '"HITId","AssignmentId","WorkerId","LifetimeApprovalRate","Last30DaysApprovalRate"\n'
        '"h","as-ann","A1","98% (49/50)","100% (1/1)"\n"h","as-2","A1","98% (49/50)","0% (0/0)"\n'
        '"h","as-bob","A2","0% (0/0)","0% (0/0)"\n'
    )
    assert load(as_owner, batch).status_code == 200
    assert told(study) == {"ann": (98, 50), "bob": (None, 0), "cem": (None, None)}
    workers = (
        "Worker ID,Number of HITs approved or rejected - Lifetime,"
        "Number of HITs approved - Lifetime,Your Lifetime Approval Rate\nA3,60,45,75%\n"
    )
    load(as_owner, workers)
    assert told(study) == {"ann": (98, 50), "bob": (None, 0), "cem": (75, 60)}


def test_columns_of_other_names_can_be_named(as_owner, crowd):
    text = "who,good %,jobs\n5fann,91.5,70\n"
    page = load(as_owner, text)
    assert page.status_code == 422 and "who, good %, jobs" in page.content.decode()
    load(as_owner, text, participant="who", rate="good %", tasks="jobs")
    assert told(crowd)["ann"] == (91.5, 70)


def test_a_named_column_that_is_not_there_is_refused_by_its_name(as_owner, crowd):
    page = load(as_owner, "who,jobs\n5fann,70\n", participant="whom", tasks="jobs")
    assert page.status_code == 422
    assert "“whom” is no column of the file; it has: who, jobs" in page.content.decode()


def test_whole_numbers_of_tasks_may_be_written_with_a_point(as_owner, crowd):
    load(as_owner, "Participant id,Task count\n5fann,5.0\n5fbob,12.00\n")
    assert [told(crowd)[key][1] for key in ("ann", "bob")] == [5, 12]


def test_marks_and_empty_cells_tell_nothing(as_owner, crowd):
    load(as_owner, "Participant id,Total approvals\n5fann,7\n5fbob,8\n")
    load(as_owner, "\ufeffParticipant id,Total approvals\n5fann,DATA_EXPIRED\n5fbob,\n5fcem,1\n")
    assert [count for _, count in told(crowd).values()] == [7, 8, 1, None]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Participant id,Total approvals\n5fann,5\n5fbob,many\n",
            "line 3, column Total approvals: found &#x27;many&#x27;",
        ),
        (
            "sep=;\nParticipant id;Total approvals\n5fann;many\n",
            "line 3, column Total approvals: found &#x27;many&#x27;",
        ),
        (
            "\n\nParticipant id,Approvals,Approvals\n5fann,5,5\n",
            "line 3, column Approvals: found tw",
        ),
        ("\nParticipant id,Age\n5fann,31\n", "line 2: no column tells a rate"),
        ("\nAge,Total approvals\n31,5\n", "line 2: no column tells who"),
        ("sep=;\n" + ";".join(map(str, range(1001))) + "\nx\n", "line 2: found 1,001 columns"),
        ("Participant id,Total approvals\n5fann\n", "line 2: found 1 cell; the header has 2"),
        ("Participant id,Total approvals\n5fann,-1\n", "line 2, column Total approvals"),
        ("Participant id,Total approvals\n5fann,2.5\n", "line 2, column Total approvals"),
        ("Participant id,Total approvals\n5fann,1e400\n", "line 2, column Total approvals"),
        ("Participant id,Approval rate\n5fann,101\n", "line 2, column Approval rate"),
        ("Participant id,Approval rate\n5fann,nan\n", "line 2, column Approval rate"),
        ("Participant id,Approval rate\n5fann,0.95\n", "as a percentage"),
        ("Participant id,LifetimeApprovalRate\n5fann,50% (3/2)\n", "column LifetimeApprovalRate"),
        ("Participant id,Total approvals\n,5\n5fann,3\n", "line 2, column Participant id"),
        (
            "Participant id,Total approvals\n5fann,5\n5fbob,1\n5fann,6\n",
            "line 4, column Total approvals: found 6; line 2 says 5",
        ),
        ("Participant id,Total approvals\n5fann,5,1\n", "line 2"),
        ('Participant id,Total approvals\n5fann,"5\n', "quotation mark"),
        ("Participant id,Total approvals\n", "no rows"),
        ("", "empty"),
        ("Participant id,Total approvals,Total approvals\n5fann,5,5\n", "Total approvals: found"),
        ("Participant id,Age\n5fann,31\n", "Participant id, Age"),
        ("Total approvals,Age\n31,31\n", "Total approvals, Age"),
        ("Participant id,Total approvals\nnobody,5\n", "None of its participants"),
        (b"Participant id,Total approvals\n5fann,\xff\n", "UTF-8"),
        (
            workbook({"S": [["Participant id"], ["5fann"]]}),
            "found a workbook (.xlsx); allowed is CSV",
        ),
        (b"Participant id,Total approvals\n5fann,5\0\n", "NUL"),
    ],
)
def test_all_or_nothing_and_the_place_is_named(as_owner, crowd, text, words):
    page = load(as_owner, text)
    assert page.status_code == 422 and words in page.content.decode()
    assert set(told(crowd).values()) == {(None, None)}


def test_what_a_file_says_is_escaped(as_owner, crowd):
    page = load(as_owner, "Participant id,<script>x</script>\n5fann,5\n").content.decode()
    assert "<script>x" not in page and "&lt;script&gt;x" in page


def test_both_rules_preview_apply_and_undo(as_owner, crowd):
    load(as_owner, "Participant id,Approvals,Rejections\n5fann,95,5\n5fbob,60,40\n5fcem,20,0\n")
    assert {"approval_rate", "task_count"} <= {rule.key for rule in offered(crowd)}
    # P4's: at least 80 % approved and 50 tasks. bob: 60 % of 100; cem: 100 % of 20
    for rule, out, given in (
        ("approval_rate", "bob", {"percent": 80}),
        ("task_count", "cem", {"tasks": 50}),
    ):
        seen = preview(crowd, RULES[rule], given)
        assert [one.key for one, _ in seen.out] == [out] and seen.unjudged == 1  # dan
        url = f"/studies/films/quality/{rule}/apply/"
        as_owner.post(url, given | {"seen": seen.seen, "reopen": "on"})
        assert crowd.raters.get(key=out).excluded_because == seen.reason
        step = QualityStep.objects.order_by("-pk").first()
        as_owner.post(f"/studies/films/quality/{step.pk}/undo/")
        assert crowd.raters.get(key=out).excluded_because == ""


def test_the_same_visit_still_goes_on_after_a_load(client, as_owner, crowd):
    load(as_owner, prolific(("v-ann", "5fann", 812)))
    response = client.get("/join/films/?PROLIFIC_PID=5fann&SESSION_ID=v-ann&STUDY_ID=s")
    assert response.status_code == 303


def test_a_large_file_costs_few_queries(as_owner, crowd, django_assert_max_num_queries):
    for number in range(60):
        rater(crowd, f"r{number}", PROLIFIC_PID=f"p{number}", SESSION_ID="v", STUDY_ID="s")
    text = prolific(*((f"v{n}", f"p{n}", n) for n in range(60)))
    with django_assert_max_num_queries(24):
        load(as_owner, text)
    assert told(crowd)["r59"] == (None, 59)


def test_nothing_is_stored_of_who_withdrew(as_owner, crowd):
    crowd.sessions.filter(rater__key="ann").update(state="withdrawn")
    page = load(as_owner, prolific(("v-ann", "5fann", 812), ("v-bob", "5fbob", 12)))
    assert told(crowd)["ann"] == (None, None) and told(crowd)["bob"] == (None, 12)
    words = page.content.decode()
    assert "1 rater from the platform is not in the file." in words  # cem
    assert "no rater of this study" not in words
