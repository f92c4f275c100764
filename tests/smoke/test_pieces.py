"""What the smoke is made of, without a product: addresses, pages, values, the ledger."""

from pathlib import Path

import pytest

from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from tests.smoke.browser import is_of_plotly
from tests.smoke.crawl import MOST_OF_ADMIN, Walk, rank_of
from tests.smoke.ledger import Answer, Ledger
from tests.smoke.pages import Form, empty_values, find_form, form_key, parse_page
from tests.smoke.routes import all_routes, find_address
from tests.smoke.running import way_of
from tests.smoke.unreached import UNREACHED
from tests.smoke.values import FILES, choose_values
from tests.smoke.ways import WAYS

ORIGIN = "http://127.0.0.1:8000"
PAGE = """<html><body><a href="#main">Skip</a><a href="/studies/films/#part">Films</a> <a href="https://example.org/">Out</a>
<img src="/media/t/"><section hx-get="piece/"></section>
<form method="post" action="/studies/films/delete/"><input name="csrfmiddlewaretoken">
<input name="slug"></form><form><input name="q"></form></body></html>"""


def field(number, name, type="text", value="", **more):
    rest = {"disabled": False, "checked": False, "min": "", "options": []}
    return {"number": number, "name": name, "type": type, "value": value} | rest | more


def test_routes_are_those_that_matches_name():
    routes = all_routes()
    for link in (
        "/",
        "/studies/films/items/3/",
        "/admin/judges/endpoint/3/change/",
        "/studies/films/analysis/roc/rows.csv",
        "/r/token/item/1/",
    ):
        assert find_address(link).route in routes
    assert len(routes) > 200
    assert find_address("/nowhere/") is None


def test_links_that_differ_in_ids_or_values_are_one_page_and_other_parts_are_not():
    def page(link):
        return find_address(link).page

    assert page("/studies/films/items/3/?a=1") == page("/studies/books/items/4/?a=2")
    assert page("/studies/films/items/3/?a=1") != page("/studies/films/items/3/")
    assert page("/studies/films/analysis/roc/") != page("/studies/films/analysis/cost/")
    assert page("/studies/films/export/items.csv") != page("/studies/films/export/items.jsonl")


def test_a_walk_over_all_links_takes_few_of_the_orders_that_a_list_of_the_admin_offers():
    class Visitor:
        ledger = Ledger("demo")

    walk = Walk(Visitor(), tab=None, most=0)
    walk.offer([f"/admin/axes/accessattempt/?o={number}" for number in range(50)])
    assert len(walk.queue) == MOST_OF_ADMIN
    walk.offer([f"/studies/films/items/{number}/" for number in range(50)])
    assert len(walk.queue) == MOST_OF_ADMIN + 50


def test_a_page_gives_its_own_links_and_forms():
    links, forms = parse_page(PAGE, "/studies/films/judges/", ORIGIN)
    assert links == ["/studies/films/", "/media/t/", "/studies/films/judges/piece/"]
    assert [(form.action, form.method, form.names) for form in forms] == [
        ("/studies/films/delete/", "post", ("slug",)),
        ("/studies/films/judges/", "get", ("q",)),
    ]


def test_a_form_is_the_same_although_a_field_came():
    page = "/studies/films/analysis/cost/"
    form = Form(page, page, "get", ("by", "question"), 0)
    likeliest = Form(page, page, "get", ("by", "question", "version"), 2)
    others = [Form(page, page, "get", ("q",), 1), likeliest, Form(page, "/", "get", ("by",), 3)]
    assert find_form(form, others) == likeliest
    assert find_form(form, others[2:]) is None


def test_an_empty_form_sends_what_is_hidden_and_its_first_button():
    form = """<form><input type="hidden" name="step" value="2"><input name="title" value="Films">
    <input type="checkbox" name="open" checked><textarea name="words">No.</textarea>
    <select name="kind"><option value="a"><option value="b" selected></select>
    <select name="by"><option value=""><option value="b" selected></select>
    <button name="do" value="save"></button><button name="do" value="add"></button></form>"""
    assert empty_values(form, 0) == [
        ("step", "2"),
        ("title", ""),
        ("words", ""),
        ("kind", "b"),
        ("by", ""),
        ("do", "save"),
    ]


def test_options_and_filters_are_one_page_in_all_combinations():
    def page(query):
        return find_address(f"/admin/annotate/rater/?{query}").page

    assert page("role=expert&q=ann") == page("o=1&p=2&q=ann") != page("q=ann")


def test_a_filled_form_keeps_what_stands_there_and_an_empty_one_nothing():
    form = Form("/studies/films/copy/", "/studies/films/copy/", "post", (), 0)
    fields = [
        field(0, "csrfmiddlewaretoken", "hidden", "token"),
        field(1, "title"),
        field(2, "slug", value="films-2"),
        field(3, "kind", "radio", "a"),
        field(4, "kind", "radio", "b", checked=True),
        field(5, "many", "checkbox", "x"),
        field(6, "pick", "select-one", "", options=["", "first"]),
    ]
    assert choose_values(form, fields, True) == [[1, "Made by the smoke"], [5, True], [6, "first"]]
    assert choose_values(form, fields, False) == [[2, ""], [4, False]]


def test_a_filled_form_of_a_report_asks_for_few_draws():
    form = Form("/studies/films/analysis/roc/", "/studies/films/analysis/roc/", "get", (), 0)
    fields = [field(0, "draws", "number", value="2000"), field(1, "seed", "number", value="1")]
    assert choose_values(form, fields, True) == [[0, "200"]]


def test_forms_that_change_nothing_are_left_to_whose_turn_it_is():
    class Visitor:
        ledger = Ledger("demo")

    walk = Walk(Visitor(), tab=None, most=1, has_turn=lambda key: False)
    waiting = {}
    for method in ("get", "post"):
        form = Form("/studies/films/items/", "/studies/films/items/", method, ("q",), 0)
        waiting[method] = form_key(form)
        walk.forms[waiting[method]] = [form]
    assert not walk._waits(waiting["get"], 0) and walk._waits(waiting["post"], 0)
    find = Form("/studies/films/raters/", "/studies/films/raters/find/", "get", ("q",), 0)
    walk.forms[form_key(find)] = [find]
    assert walk._waits(form_key(find), 0)  # nothing else may reach that route
    walk.has_turn = lambda key: True
    assert walk._waits(waiting["get"], 0)


def test_what_deletes_comes_last():
    def rank(action, method="post"):
        return rank_of(Form("/", action, method, (), 0))

    order = [
        "/studies/films/copy/",
        "/studies/films/runs/1/cancel/",
        "/studies/films/media/1/delete/",
        "/studies/films/delete/",
        "/accounts/logout/",
    ]
    assert [rank(action) for action in order] == [0, 1, 2, 3, 4]
    assert rank("/studies/films/delete/", "get") == 0


def test_the_ledger_fails_on_errors_of_the_server_alone():
    ledger = Ledger("demo")
    for status in (200, 302, 404, 422, 503):
        ledger.record(Answer("owner", "GET", f"/{status}/", f"{status}/", status, 0.1))
    assert ledger.faults == ["503 GET /503/ as owner"]
    assert ledger.reached() == {"200/", "302/"}


def test_whoever_is_sent_to_log_in_has_not_reached_the_page():
    ledger = Ledger("demo")
    for role, place in (("rater", "/accounts/login/?next=/retire/"), ("owner", "/questions/")):
        assert ledger.reached() == set()
        ledger.record(Answer(role, "POST", "/retire/", "retire/", 302, 0.1, place))
    assert ledger.reached() == {"retire/"}


def test_every_route_that_is_named_as_unreached_is_one_and_has_a_reason():
    assert set(UNREACHED) <= all_routes()
    assert all(len(reason) > 20 for reason in UNREACHED.values())


def test_the_files_that_are_uploaded_are_there():
    assert all(path.exists() for paths in FILES.values() for path in paths.values())


REFUSED = (
    "Applying inline style violates the following Content Security Policy directive 'style-src "
    "'self''. Note also that 'style-src-attr' was not explicitly set."
)


@pytest.mark.parametrize(
    ("text", "link", "expected"),
    [
        (REFUSED, "/static/vendor/plotly-cartesian-4.1.1.min.0a1b2c.js", True),
        (REFUSED, "/studies/films/analysis/roc/", False),
        (REFUSED, "/studies/plotly-films/", False),
        (REFUSED, "/static/app.0a1b2c.js", False),
        ("Uncaught TypeError: x", "/static/vendor/plotly-cartesian-4.1.1.min.0a1b2c.js", False),
    ],
)
def test_only_plotlys_own_style_attributes_are_passed_over(text, link, expected):
    assert is_of_plotly(text, {"url": ORIGIN + link, "lineNumber": 1}) is expected


def test_the_short_form_shares_pages_among_the_ways_and_leaves_none_out():
    pages = [find_address(f"/studies/films/analysis/{n}/").page for n in range(40)]
    taken = [way_of(page) for page in pages]
    assert set(taken) == set(WAYS) and 10 < taken.count("demo") < 30
    assert taken == [way_of(page) for page in pages]


def test_the_study_that_the_smoke_loads_is_read_without_a_problem():
    problems = Problems()
    path = Path(__file__).parent / "study" / "study.yaml"
    assert read_study(path, path.name, problems).slug == "smoke"
    assert not problems, [str(problem) for problem in problems.shown]
