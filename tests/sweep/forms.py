"""What a browser would send of the forms on a page."""

from html.parser import HTMLParser


class Forms(HTMLParser):
    """The forms of a page that post: [(action, {name: [values]})], as they stand there first."""

    def __init__(self, text):
        super().__init__()
        self.posting, self.data, self.select, self.area = [], None, None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form" and given.get("method", "get").lower() == "post":
            self.data = {}
            self.posting.append((given.get("action") or "", self.data))
        elif self.data is not None and "disabled" not in given:
            handle = getattr(self, f"_{tag}", None)
            if handle:
                handle(given)

    def handle_endtag(self, tag):
        if tag == "form":
            self.data = None
        elif tag == "select":
            self.select = None
        elif tag == "textarea":
            self.area = None

    def handle_data(self, data):
        if self.area and self.data is not None:
            before = self.data[self.area][-1]
            # The first line break after the tag belongs to no text.
            self.data[self.area][-1] = before + data if before else data.removeprefix("\n")

    def _put(self, name, value):
        if name and name != "csrfmiddlewaretoken":
            self.data.setdefault(name, []).append(value)

    def _input(self, given):
        kind = given.get("type", "text")
        if kind in ("checkbox", "radio"):
            if "checked" in given:
                self._put(given.get("name"), given.get("value", "on"))
        elif kind not in ("file", "submit"):
            self._put(given.get("name"), given.get("value", ""))

    def _button(self, given):
        if "formaction" in given:
            self.posting.append((given["formaction"], self.data))
        elif given.get("type", "submit") == "submit" and given.get("name") not in (
            None,
            *self.data,
        ):
            self._put(given["name"], given.get("value", ""))

    def _textarea(self, given):
        self.area = given.get("name")
        self._put(self.area, "")

    def _select(self, given):
        self.select = given.get("name")

    def _option(self, given):
        if self.select and ("selected" in given or self.select not in self.data):
            chosen = given.get("value", "")
            if "selected" in given and "multiple" not in given:
                self.data.pop(self.select, None)
            self._put(self.select, chosen)
