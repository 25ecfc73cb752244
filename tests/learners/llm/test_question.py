from __future__ import annotations

from stepgraph.learners.llm.question import Question


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
