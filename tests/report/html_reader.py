"""A page as a browser takes it apart, as far as tests need it."""

from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text by element; an unclosed element is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, f"left open: {self._open}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag

    def handle_data(self, data):
        for tag in set(self._open):
            self.texts.setdefault(tag, []).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self, tag):
        return "".join(self.texts.get(tag, ()))
