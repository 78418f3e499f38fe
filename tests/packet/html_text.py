"""A page as a reader sees it: its text, and its tags with their attributes."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_NO_END = {"meta", "use", "rect", "path", "wbr"}
_UNSEEN = {"style", "title", "head", "symbol"}


@dataclass
class Page(HTMLParser):
    """`shown`: text without white space. `cards`: the names of drawn cards."""

    shown: str = ""
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, data: bytes) -> "Page":
        page = cls()
        HTMLParser.__init__(page, convert_charrefs=True)
        page.feed(data.decode())
        page.close()
        assert page.open == []
        return page

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in _NO_END:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-2:] == ["svg", "title"]:
            self.cards.append(data)
        elif not _UNSEEN & set(self.open):
            self.shown += "".join(data.split())
