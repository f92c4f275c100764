"""How the limit of calls at once moved in a run, as lines and as a table."""

from dataclasses import dataclass

from django.utils import timezone

from judges.models import Run

WIDTH, HEIGHT = 600, 100  # of the drawing, which is stretched to the page
DASHES = ["", "6 4", "2 4", "10 4 2 4"]
MOST_DRIVES = 8  # the newest; each restart of a worker is another


@dataclass
class PaceChart:
    """One line for each worker that drove the run; rows say the same in words."""

    lines: list
    rows: list
    most: int
    seconds: float
    width: int = WIDTH
    height: int = HEIGHT


def pace_chart(run):
    """The chart of a run, in one query; None before its first call."""
    paces = list(run.paces.order_by("-pk")[:MOST_DRIVES])[::-1]
    if not paces:
        return None
    zero = min(pace.began_at for pace in paces)
    drives = [_shifted(pace, (pace.began_at - zero).total_seconds()) for pace in paces]
    last = max(at for points in drives for at, _, _ in points)
    ended = timezone.now() if run.state == Run.State.ACTIVE else run.ended_at or zero
    seconds = max(last, (ended - zero).total_seconds(), 1.0)
    most = max(limit for points in drives for _, limit, _ in points)
    lines = [
        (DASHES[number % len(DASHES)], _steps(points, _end(run, points, seconds), seconds, most))
        for number, points in enumerate(drives)
    ]
    rows = [(n, *point) for n, points in enumerate(drives, start=1) for point in points]
    return PaceChart(lines, sorted(rows, key=lambda row: row[1]), most, seconds)


def _shifted(pace, seconds):
    return [(seconds + at, limit, why) for at, limit, why in pace.points]


def _end(run, points, seconds):
    """Where a line ends: at its last point, or now where the run goes on and no end was noted."""
    last, _, why = points[-1]
    return seconds if run.state == Run.State.ACTIVE and why != "ends" else last


def _steps(points, end, seconds, most):
    """The points of a polyline that keeps each limit until the next."""
    corners = []
    for at, limit, _ in points:
        x, y = WIDTH * at / seconds, HEIGHT * (1 - limit / most)
        if corners:
            corners.append((x, corners[-1][1]))
        corners.append((x, y))
    corners.append((WIDTH * end / seconds, corners[-1][1]))
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
