from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph.report import (
    DoneStep,
    Need,
    RecordingEntry,
    Report,
    ScoreEntry,
    StepEntry,
    to_html,
)
from tests.drawing.strategies import NASTY

VOID = {"meta", "br"}
texts = st.text(min_size=1, max_size=30) | st.sampled_from(NASTY)


class Page(HTMLParser):
    """The elements of a page, which must be closed in the order in which they were opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def _full(text: str) -> Report:
    wrong = DoneStep(text, text, text, is_mistake=True, deviates=True)
    return Report(
        title=text,
        facts=((text, text),),
        drawing="<svg></svg>",
        steps=(StepEntry(text, (Need(text, text),), (text,), text), StepEntry("mix")),
        recordings=(
            RecordingEntry(text, (wrong,), (text,), 2, (text,), 0.5),
            RecordingEntry("right", (DoneStep("mix", ""),)),
        ),
        training="<svg></svg>",
        training_about=text,
        scores=(ScoreEntry(text, 0.5, 0.25, 1 / 3, ((0.4, 0.6), (0.2, 0.3), (0.3, 0.4))),),
        notes=(text,),
    )


@settings(deadline=None, max_examples=60)
@given(texts)
def test_whatever_a_name_holds_the_page_has_the_same_elements(text: str) -> None:
    assert [tag for tag, _ in Page(to_html(_full(text))).tags] == [
        tag for tag, _ in Page(to_html(_full("plain"))).tags
    ]


def test_a_page_loads_nothing_and_runs_nothing() -> None:
    page = Page(to_html(_full("<script src=//x></script>")))
    for tag, attributes in page.tags:
        assert tag not in {"script", "link", "img", "iframe"}
        assert not {"src", "onclick", "onload"} & attributes.keys()
        assert attributes.get("href", "#").startswith("#")  # type: ignore[union-attr]
    assert "<script src=//x></script>" in page.text
    assert any("default-src 'none'" in str(a.get("content")) for _, a in page.tags)


def test_links_lead_to_what_is_there_and_ids_are_single() -> None:
    page = Page(to_html(_full("x")))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    targets = {attributes["href"] for _, attributes in page.tags if "href" in attributes}
    assert len(ids) == len(set(ids))
    assert targets <= {f"#{id_}" for id_ in ids}


def test_tables_name_their_columns_and_rows() -> None:
    page = Page(to_html(_full("x")))
    assert all(a.get("scope") in ("row", "col") for tag, a in page.tags if tag == "th")
    tables = sum(tag == "table" for tag, _ in page.tags)
    assert tables == sum(tag == "caption" for tag, _ in page.tags) == 2


def test_what_scrolls_can_be_reached_by_keyboard_and_has_a_name() -> None:
    frames = [a for _, a in Page(to_html(_full("x"))).tags if "wide" in (a.get("class") or "")]
    assert frames
    assert all(frame["tabindex"] == "0" and frame["aria-label"] for frame in frames)


def test_recordings_with_mistakes_are_unfolded_and_say_so_in_words() -> None:
    page = Page(to_html(_full("x")))
    folded = [attributes for tag, attributes in page.tags if tag == "details"]
    assert ["open" in attributes for attributes in folded] == [True, False]
    assert "2 mistakes" in page.text
    assert "never done" in page.text


def test_an_interval_stands_below_its_score() -> None:
    words = Page(to_html(_full("x"))).text
    assert "50.040.0 to 60.0" in words
    assert "90 % interval" in words
    assert "90 %" not in Page(to_html(Report("x", scores=(ScoreEntry("x", 1, 1, 1),)))).text


def test_parts_without_content_are_left_out() -> None:
    text = Page(to_html(Report("empty"))).text
    for title in (
        "Recordings",
        "Training",
        "Against the known graph",
        "Steps and what they need",
        "Notes",
    ):
        assert title not in text
