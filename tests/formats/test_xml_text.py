from __future__ import annotations

import pytest

from stepgraph.errors import FormatError
from stepgraph.formats import xml_text
from stepgraph.formats.xml_text import parse_xml

LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<pnml>&b;</pnml>"""
OUTSIDE = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>'


def test_names_namespaces_texts_and_lines_are_kept() -> None:
    root = parse_xml('<n:a xmlns:n="urn:n" n:x="1" y="2">\n<b>one &amp; <c/>two</b></n:a>')
    assert (root.name, root.namespace, root.attributes) == ("a", "urn:n", {"y": "2"})
    (inner,) = root.children
    assert (inner.name, inner.namespace, inner.line, inner.text) == ("b", "", 2, "one & two")
    assert root.inner_text("b") == "one & two"
    assert root.inner_text("b", "d") is None


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE, "<!DOCTYPE x><x/>"])
def test_a_document_type_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="a document type declaration"):
        parse_xml(text)


@pytest.mark.parametrize(
    "text", ["no XML", "<a>", "<a></b>", "<a/><b/>", "<a>&unknown;</a>", "<p:a/>", "<a b=c/>"]
)
def test_what_is_no_xml_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(FormatError, match=r"line 1, column \d+: not XML"):
        parse_xml(text)


def test_what_the_file_says_of_its_encoding_does_not_matter() -> None:
    assert parse_xml('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>').text == "é"


def test_elements_may_not_be_nested_without_end() -> None:
    deep = "<a>" * 101 + "</a>" * 101
    with pytest.raises(FormatError, match="nested more than 100 deep"):
        parse_xml(deep)
    assert parse_xml("<a>" * 100 + "</a>" * 100).name == "a"


def test_size_and_number_of_elements_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_text, "ELEMENTS", 3)
    with pytest.raises(FormatError, match="more than 3 elements"):
        parse_xml("<a><b/><b/><b/></a>")
    monkeypatch.setattr(xml_text, "MEGABYTES", 0)
    with pytest.raises(FormatError, match="expected at most 0 MB"):
        parse_xml("<a/>")
