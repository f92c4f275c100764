"""A study is deleted while something is loaded into it: the load makes no study anew."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.models import Study
from annotate.studies import delete as marking
from judges import tasks
from judges.files import load
from judges.studies import delete as deleting
from judges.uploads import uploads
from tests.api.conftest import program
from tests.files import STUDY

MOMENTS = pytest.mark.parametrize("moment", [1, 2], ids=["at the check", "at the writing"])
TABLES = {
    "items": "item,kind,text\nnew,explanation,Because.\n",
    "ratings": "item,rater,question,value\nitem-0,ann,QUESTION,3\n",
    "judgments": "item,judge,question,value\nitem-0,gpt,QUESTION,3\n",
    "statements": "item,side,statement,topic,sentiment\nitem-0,generated,Slow.,pace,neutral\n",
}


def delete_beside(study, monkeypatch, moment):
    """Delete the whole study right before a load looks for it the first or second time."""
    find_study, looks = load.find_study, []

    def find(slug, lock=False):
        looks.append(slug)
        if len(looks) == moment:
            marking.begin(study)
            assert deleting.delete_study(study.pk)
        return find_study(slug, lock)

    monkeypatch.setattr(load, "find_study", find)


@pytest.mark.django_db
@MOMENTS
@pytest.mark.parametrize("table", TABLES)
def test_rows_make_no_study_of_one_that_went(study, monkeypatch, tmp_path, table, moment):
    path = tmp_path / f"{table}.csv"
    path.write_text(TABLES[table].replace("QUESTION", study.questions.first().key))
    assert not load.check_files(None, {table: path}, "films").problems
    delete_beside(study, monkeypatch, moment)
    loading = load.load_files(None, {table: path}, "films")
    assert "no longer there" in str(loading.problems.shown[0])
    assert not Study.objects.exists()


@pytest.mark.django_db
@MOMENTS
def test_the_api_refuses_rows_of_a_study_that_went(owner, study, monkeypatch, moment):
    delete_beside(study, monkeypatch, moment)
    rows = {"rows": [{"item": "new", "kind": "explanation", "text": "Because."}]}
    answer = program(owner).post("/api/v1/studies/films/items/", rows, "json")
    assert answer.status_code == 409
    assert "no longer there" in answer.content.decode()
    assert not Study.objects.exists()


@pytest.mark.django_db
@MOMENTS
def test_a_page_load_makes_no_study_of_one_that_went(study, owner, monkeypatch, moment):
    file = SimpleUploadedFile("study.yaml", STUDY.encode())
    upload = uploads.receive(owner, {"study": file}, "films")
    assert not upload.problems["total"]
    upload.state = upload.State.LOADING
    upload.save()
    delete_beside(study, monkeypatch, moment)
    monkeypatch.setattr(deleting, "_forget_uploads", lambda study_id: None)
    tasks.load_upload(upload.pk)
    upload.refresh_from_db()
    assert upload.state == "failed" and "no longer there" in str(upload.problems)
    assert not Study.objects.exists()
