from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.learners.llm.questions import Answer, Outcome, Question, read_answer


def test_the_question_is_the_papers_with_the_other_steps_in_alphabetical_order() -> None:
    asked = Question("add brownie mix", ("mix eggs", "add oil", "break eggs")).messages[-1]
    lines = asked["content"].splitlines()
    assert asked["role"] == "user"
    assert lines[0] == (
        "Which of the following key steps is a pre-condition for the current key step "
        '"add brownie mix"?'
    )
    assert lines[2:6] == ["- add oil", "- break eggs", "- mix eggs", "- None of the above"]


def test_the_order_in_which_steps_are_known_changes_nothing() -> None:
    assert Question("a", ("c", "B")) == Question("a", ("B", "c"))
    assert Question("a", ("c", "B")).options == ("B", "c")


def test_the_form_asked_for_is_json_whatever_the_name() -> None:
    assert r'{"say \"hi\"": [...]}' in Question('say "hi"', ("a",)).messages[-1]["content"]


MIX = Question("mix", ("crack the egg", "pour the milk", "heat the pan"))
PAN = ("heat the pan",)


def read(text: str, question: Question = MIX) -> Answer:
    return read_answer(text, question)


def listed(*names: str) -> str:
    return json.dumps({"mix": names})


def test_plain_json_is_taken_as_it_is() -> None:
    assert read(listed("heat the pan")) == Answer(Outcome.USABLE, PAN)
    assert read(listed()) == Answer(Outcome.USABLE)


@pytest.mark.parametrize(
    "text",
    [
        'Sure! {"mix": ["heat the pan"]} because a cold pan sticks.',
        '```json\n{\n  "mix": ["heat the pan"]\n}\n```',
        'With {braces} and {"other": 1}: {"mix": ["heat the pan"]}',
        '{"mix": ["pour the milk"]}? No, on second thoughts {"mix": ["heat the pan"]}',
    ],
    ids=["prose", "fence", "other braces", "second thoughts"],
)
def test_json_is_dug_out_of_other_text(text: str) -> None:
    assert read(text) == Answer(Outcome.USABLE, PAN, dug_out=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "heat the pan",
        "[]",
        "null",
        '["heat the pan"]',
        '{"mix": ["heat the pan"]',
        '{"mix": ["heat the pan", 3]}',
        '{"mix": null}',
        '{"mix": {"heat the pan": true}}',
        '{"crack the egg": ["heat the pan"]}',
        '{"preconditions": ["heat the pan"]}',
        '{"mix": ["heat the pan"], "crack the egg": []}',
        "{'mix': ['heat the pan']}",
        '{"mix":' * 100_000,
        "[" * 100_000,
        "{" * 1_000_000,
        '{"' * 500_000,
        '{"mix": "' * 100_000,
        listed(*map(str, range(100_000))),
    ],
    ids=lambda text: text[:40],
)
def test_what_is_no_answer_is_rubbish(text: str) -> None:
    assert read(text) == Answer(Outcome.RUBBISH)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry.",  # noqa: RUF001 - typed so by models
        "As an AI language model I have no opinion.",
        "I cannot assist with this request.",
    ],
)
def test_a_refusal_is_told_from_rubbish(text: str) -> None:
    assert read(text) == Answer(Outcome.REFUSED)


def test_a_refusal_that_the_endpoint_marks_counts_whatever_it_says() -> None:
    assert read_answer(listed(), MIX, refused=True) == Answer(Outcome.REFUSED)


def test_an_apology_around_an_answer_is_no_refusal() -> None:
    assert read(f"I'm sorry for the delay. {listed(*PAN)}").preconditions == PAN


@pytest.mark.parametrize("text", [listed("None of the above"), '{"mix": "none of the above."}'])
def test_none_of_the_above_is_an_answer(text: str) -> None:
    assert read(text) == Answer(Outcome.USABLE)


def test_none_of_the_above_beside_a_step_is_a_contradiction() -> None:
    assert read(listed("None of the above", *PAN)) == Answer(Outcome.RUBBISH)


@pytest.mark.parametrize(
    "came", ["Heat the pan", "heat  the pan.", "- heat the pan", "heat the pans", "heat te pan"]
)
def test_a_misspelt_name_is_corrected_and_reported(came: str) -> None:
    assert read(listed(came)) == Answer(Outcome.USABLE, PAN, corrected=((came, PAN[0]),))


def test_a_name_between_two_steps_is_dropped_and_reported() -> None:
    question = Question("mix", ("add egg whites", "add egg whitey", "stir"))
    answer = read(listed("add egg white", "stir"), question)
    assert answer == Answer(Outcome.USABLE, ("stir",), unknown=("add egg white",))


def test_names_that_differ_only_in_case_are_not_guessed_between() -> None:
    answer = read(listed("STIR", "a"), Question("mix", ("Stir", "stir", "a")))
    assert answer.unknown == ("STIR",)


def test_another_number_is_another_step() -> None:
    answer = read(listed("do the key step 3", "a"), Question("mix", ("do the key step 1", "a")))
    assert answer.unknown == ("do the key step 3",)


def test_a_hallucinated_step_is_dropped_and_reported() -> None:
    answer = read(listed("preheat the oven", *PAN))
    assert answer == Answer(Outcome.USABLE, PAN, unknown=("preheat the oven",))


def test_an_answer_of_nothing_but_unknown_names_is_rubbish() -> None:
    answer = read(listed("preheat the oven"))
    assert answer == Answer(Outcome.RUBBISH, unknown=("preheat the oven",))


def test_the_step_itself_is_dropped_and_reported() -> None:
    assert read(listed("mix", "Mix", *PAN)) == Answer(Outcome.USABLE, PAN, itself=True)


def test_a_name_counts_once() -> None:
    assert read(listed(*PAN, *PAN)).preconditions == PAN


def test_a_very_long_name_costs_no_time() -> None:
    assert read(listed("x" * 500_000, *PAN)).preconditions == PAN


@given(st.text() | st.dictionaries(st.text(), st.lists(st.text())).map(json.dumps))
def test_whatever_comes_only_options_go_out(text: str) -> None:
    assert set(read(text).preconditions) <= set(MIX.options)
