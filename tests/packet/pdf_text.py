"""The text of a PDF as a reader would copy it: of such PDFs as ReportLab writes, with TrueType."""

import base64
import re
import zlib

_OBJECT = re.compile(rb"(?<!\d)(\d+) 0 obj\s(.*?)\nendobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_SHOW = re.compile(rb"/(\S+) [\d.]+ Tf|\(((?:[^\\()]|\\.)*)\) Tj", re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)


def text_of(pdf: bytes) -> str:
    """Of all pages, in their order, without any white space."""
    objects = {int(number): body for number, body in _OBJECT.findall(pdf)}
    fonts = {
        name: _unicode(objects, int(number))
        for body in objects.values()
        for name, number in re.findall(rb"/(F\d+(?:\+\d+)?) (\d+) 0 R", body)
    }
    return "".join("".join(_shown(content, fonts).split()) for content in contents_of(pdf))


def contents_of(pdf: bytes) -> list[bytes]:
    """What is drawn on each page, in PDF's own operators."""
    objects = {int(number): body for number, body in _OBJECT.findall(pdf)}
    pages = [body for body in objects.values() if b"/Type /Page\n" in body + b"\n"]
    numbers = [int(re.search(rb"/Contents (\d+) 0 R", page)[1]) for page in pages]
    return [_data(objects[number]) for number in numbers]


def _shown(content: bytes, fonts: dict[bytes, dict[int, str]]) -> str:
    found, font = [], {}
    for name, text in _SHOW.findall(content):
        if name:
            font = fonts[name]
        else:
            found += [font.get(code, "\N{REPLACEMENT CHARACTER}") for code in _unescaped(text)]
    return "".join(found)


def _unescaped(text: bytes) -> bytes:
    plain = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}

    def of(match: re.Match[bytes]) -> bytes:
        said = match[1]
        return bytes([int(said, 8)]) if said.isdigit() else plain.get(said, said)

    return _ESCAPE.sub(of, text)


def _unicode(objects: dict[int, bytes], number: int) -> dict[int, str]:
    """What a font's codes stand for."""
    there = re.search(rb"/ToUnicode (\d+) 0 R", objects[number])
    if there is None:
        return {code: chr(code) for code in range(256)}  # one of the standard fonts
    cmap = _data(objects[int(there[1])]).decode()
    pairs = {}
    for block in re.findall(r"beginbfchar(.*?)endbfchar", cmap, re.DOTALL):
        pairs |= {int(a, 16): _utf16(b) for a, b in re.findall(r"<(\w+)>\s*<(\w+)>", block)}
    for block in re.findall(r"beginbfrange(.*?)endbfrange", cmap, re.DOTALL):
        for first, _, listed in re.findall(r"<(\w+)>\s*<(\w+)>\s*\[(.*?)\]", block, re.DOTALL):
            codes = re.findall(r"<(\w+)>", listed)
            pairs |= {int(first, 16) + n: _utf16(code) for n, code in enumerate(codes)}
    return pairs


def _utf16(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-16-be")


def _data(body: bytes) -> bytes:
    data = _STREAM.search(body)[1]
    if b"/ASCII85Decode" in body:
        data = base64.a85decode(data.strip().removesuffix(b"~>"))
    return zlib.decompress(data) if b"/FlateDecode" in body else data
