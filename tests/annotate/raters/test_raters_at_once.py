"""Many raters at once over HTTP on the web server as it is deployed, whose processes are killed."""

import pytest
from django.db import connection

from annotate.models import Session
from tests import simulated_raters
from tests.web_server import WebServer


@pytest.mark.django_db(transaction=True)
def test_raters_finish_and_lose_nothing_while_the_web_server_is_killed(tmp_path):
    count = 40 if connection.vendor == "postgresql" else 20
    study = simulated_raters.make_study(count, short_of=2)
    with WebServer(tmp_path) as web:
        raters, _ = simulated_raters.make_raters(web.port, study.slug, count)
        simulated_raters.walk_all(raters, [web.kill_worker, web.kill_master])
        log = web.output()
    assert sum(rater.tries_again for rater in raters) > 0, "no kill was felt by anybody"
    assert "Traceback" not in log, log
    simulated_raters.check(study, raters)
    # Each participant of the platform has one session, however often they had to try again.
    from_platform = Session.objects.exclude(rater__platform_ids={}).values_list(
        "rater__platform_ids__PROLIFIC_PID", flat=True
    )
    assert len(from_platform) == len(set(from_platform))
