"""A researcher who looks at pages and reports while all is under way."""

import itertools
from dataclasses import dataclass, field

from tests.simulated_raters import GaveUp

# Other options each time, so that a result has to be computed and kept.
PAGES = (
    "/",
    "/studies/judged/",
    "/studies/judged/runs/",
    "/studies/loaded/items/",
    "/studies/judged/analysis/",
    "/studies/judged/analysis/cost/?seed={number}",
    "/studies/judged/analysis/confusion/?seed={number}",
)


@dataclass
class Visitor:
    """An actor that opens one page after another."""

    caller: object
    pages: int = 0
    trouble: list = field(default_factory=list)

    def work(self, stop):
        """Open page after page; each has to come in the end."""
        for number, page in enumerate(itertools.cycle(PAGES)):
            if stop.wait(0.7):
                return
            path = page.format(number=number)
            try:
                status, _, text = self.caller.ask(f"page {page.partition('?')[0]}", "GET", path)
            except GaveUp as error:
                self.trouble.append(str(error))
                return
            self.pages += 1
            if status != 200:
                self.trouble.append(f"{status} to {path}: {' '.join(text.split())[:100]}")
