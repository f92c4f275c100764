"""What is put over the values of a page's form, so that the request would change something."""

from judges.prompting.fill import load
from tests.judges.pages.test_judge_views import SETTINGS as ASKED
from tests.sweep.canaries import mark

STUDY_YAML = b"study: taken\ntitle: Taken\nquestions: [{key: q, text: Good?, scale: likert5}]\n"
FILMS = b"movieId,title,genres\n1,Heat,Drama\n"
RATINGS = b"userId,movieId,rating,timestamp\n1,1,4,1\n"
TABLE = b"id,text,fit\na,A text.,4\nb,Another.,2\n"
BELOW = "studies/<slug:slug>/"
API = "api/v1/studies/"
ENDPOINT = {"key": "taken", "base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": ""}

MODEL = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key": "sk-taken-12345"}


def changes(world):
    """{route: {name: value}}."""
    return _of_people(world) | _of_judges(world) | _of_admin(world) | _of_api(world)


def _of_people(world):
    names = world.names
    return {
        "accounts/tokens/": {"name": "taken", "reach": "all", "scope": "write"},
        "studies/new/": {"study": ("study.yaml", STUDY_YAML)},
        "studies/new/ratings/": {
            "title": "Taken",
            "slug": "taken",
            "surveys": "1",
            "movies": ("movies.csv", FILMS),
            "ratings": ("ratings.csv", RATINGS),
        },
        "studies/new/bring/": {"file": ("texts.csv", TABLE)},
        "uploads/<slug:token>/questions/": {"title": "Taken", "slug": "taken"},
        "studies/new/template/": {"title": "Taken", "slug": "taken"},
        f"{BELOW}copy/": {"title": "Taken", "slug": "taken"},
        f"{BELOW}delete/": {"slug": "films"},
        f"{BELOW}bring/": {"file": ("texts.csv", TABLE)},
        f"{BELOW}load/": {"items": ("items.csv", b"item,text\nnew,Because.\n")},
        f"{BELOW}settings/": {"title": "Taken"},
        f"{BELOW}settings/platform/": {"keep_days": "3"},
        f"{BELOW}settings/steps/<slug:part>/": {"attempts": "3", "do": "save"},
        f"{BELOW}settings/sessions/": {"repeats": "1"},
        f"{BELOW}settings/sessions/check/": {
            "text": "A?",
            "options": "A\nB",
            "right": "A",
            "key": "taken",
        },
        f"{BELOW}settings/sessions/gold/": {
            "item": f"{mark('item-key')}-5",
            f"q-{mark('question-key')}-0": "4",
        },
        f"{BELOW}settings/members/": {"username": "stranger", "role": "owner"},
        f"{BELOW}raters/<int:pk>/exclude/": {"reason": "none"},
        f"{BELOW}raters/links/": {"how": "count", "count": "2"},
        f"{BELOW}raters/pay/returned/": {"ids": mark("rater-platform_ids")},
        f"{BELOW}raters/pay/participants/": {
            "file": (
                "people.csv",
                f"Participant id,Total approvals\n{mark('rater-platform_ids')},9\n".encode(),
            ),
        },
        f"{BELOW}stopping/fix/": {
            "judges": str(names["drafted"]),
            "questions": str(names["draft question"]),
            "role": "third_party",
            "planned": "200",
            "alpha": "0.05",
        },
        f"{BELOW}coding/<int:pk>/": {"code": names["code"]},
        f"{BELOW}coding/codes/": {"name": "taken"},
        f"{BELOW}coding/codes/<int:pk>/": {"name": "taken"},
        f"{BELOW}coding/codes/<int:pk>/merge/": {"into": names["other code"]},
        f"{BELOW}more/send/": {"item": names["item"], "count": "1"},
        f"{BELOW}media/upload/": {"files": ("new.png", b"\x89PNG\r\n\x1a\n.")},
        f"{BELOW}questions/new/": {"text": "Taken?", "key": "taken"},
        f"{BELOW}questions/<int:pk>/": {"text": "Taken?"},
        f"{BELOW}questions/<int:pk>/move/": {"to": "up"},
        f"{BELOW}analysis/split/unlock/": {"reason": "to see it"},
        "r/<slug:token>/answer/<int:item>/<int:question>/": {f"q{names['question']}": "5"},
        "r/<slug:token>/time/<int:item>/": {"view": "a", "active": "1", "idle": "1"},
    }


def _of_judges(world):
    text = load("explanation.v3").text
    return {
        f"{BELOW}items/<int:pk>/statements/<slug:side>/add/": {"add-statement": "It is red."},
        f"{BELOW}statements/<int:pk>/correct/": {"statement": "It is blue."},
        # The page without a query asks for the purpose: it has no form whose values could stand.
        f"{BELOW}judges/new/": ASKED | {"key": "taken", "endpoint": world.names["endpoint"]},
        f"{BELOW}judges/<int:pk>/edit/": {"key": "taken"},
        f"{BELOW}judges/<int:pk>/delete/": {"because": "it failed"},
        f"{BELOW}judges/<int:pk>/duplicate/": {"key": "taken"},
        f"{BELOW}judges/<int:pk>/run/": {"budget": "1"},
        f"{BELOW}judges/<int:pk>/check/": {"budget": "1"},
        f"{BELOW}judges/<int:pk>/robustness/": {"budget": "1"},
        f"{BELOW}judges/<int:pk>/robustness/start/": {"budget": "1"},
        f"{BELOW}judges/<int:pk>/test/": {"iterations": "1", "l": "1"},
        f"{BELOW}prompts/new/": {"name": "taken"},
        f"{BELOW}prompts/own/<slug:name>/": {"text": f"{text}\nTaken."},
        f"{BELOW}models/new/<slug:provider>/": MODEL,
        f"{BELOW}models/<int:pk>/": MODEL,
        "endpoints/new/": ENDPOINT,
        "endpoints/<int:pk>/": ENDPOINT,
    }


def _of_admin(world):
    deleted = {"action": "delete_selected", "post": "yes"}
    return {
        "admin/auth/group/add/": {"name": "taken"},
        "admin/auth/user/add/": {"username": "taken", "usable_password": "false"},
        "admin/auth/user/<id>/password/": {"password1": "t4ken-t4ken", "password2": "t4ken-t4ken"},
        "admin/annotate/study/add/": {"slug": "taken", "title": "Taken"},
        "admin/annotate/rater/add/": {"study": world.names["study"], "key": "taken"},
        "admin/judges/endpoint/add/": ENDPOINT,
        "admin/judges/endpoint/<path:object_id>/change/": ENDPOINT,
        "admin/judges/endpoint/<path:object_id>/delete/": {"post": "yes"},
    } | {
        f"admin/{table}/": deleted | {"_selected_action": world.names[table]}
        for table in (
            "auth/group",
            "auth/user",
            "axes/accessattempt",
            "axes/accesslog",
            "axes/accessfailurelog",
            "annotate/study",
            "judges/heartbeat",
        )
    }


def _of_api(world):
    question, item = f"{mark('question-key')}-0", f"{mark('item-key')}-6"
    return {
        API: {"study": "taken", "title": "Taken", "template": "explanations-four"},
        f"{API}<slug:slug>/": {"title": "Taken"},
        f"{API}<slug:slug>/items/": {"rows": [{"item": "taken", "text": "Because."}]},
        f"{API}<slug:slug>/ratings/": {
            "rows": [
                {"item": item, "rater": "taken", "role": "expert", "question": question, "value": 4}
            ],
        },
        f"{API}<slug:slug>/judgments/": {
            "rows": [{"item": item, "judge": "taken", "question": question, "value": 3}]
        },
        f"{API}<slug:slug>/runs/": {"judge": world.names["judge key"], "limit": 1},
        f"{API}<slug:slug>/runs/<int:pk>/cancel/": {},
    }
