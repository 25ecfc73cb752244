from __future__ import annotations

from tests.cli.running import Put, Run
from tests.cli.samples import table


def test_open_pairs_are_said_in_words_with_an_order_to_ask_for(stepgraph: Run, put: Put) -> None:
    result = stepgraph("advise", put("tea.txt", "boil\ngrind\npour\n"))
    assert result.code == 0
    assert result.lines == [
        "tea: 3 of 3 pairs of steps are open",
        (
            "  Nobody has done 'boil' after 'grind': one recording that does would decide 2 pairs; "
            "3 edges of the graph depend on it."
        ),
        (
            "  Nobody has done 'grind' after 'pour': one recording that does would decide 2 pairs; "
            "3 edges of the graph depend on it."
        ),
        (
            "This uses the recordings, not the meaning of the steps. Where you know the answer, "
            "give it, as in --must 'grind needs boil', or with --never."
        ),
        "",
        (
            "Ask the next person, whenever several steps can be done, to do the one that comes "
            "first in this list; this may decide 3 pairs:"
        ),
        "  1  pour",
        "  2  grind",
        "  3  boil",
        (
            "This would show for the first time: 'pour' before 'grind', 'pour' before 'boil', "
            "'grind' before 'boil'."
        ),
    ]


def test_many_pairs_are_counted_and_json_has_them_all(stepgraph: Run, put: Put) -> None:
    path = put("tea.txt", "a\nb\nc\nd\n")
    (line,) = [
        line for line in stepgraph("advise", path).lines if line.startswith("This would show")
    ]
    assert line.endswith(", and 1 other pair (--json lists them).")
    (found,) = stepgraph("advise", path, "--json").json
    assert len(found["shows"]) == found["decides"] == 6


def test_so_many_questions_as_asked_for(stepgraph: Run, put: Put) -> None:
    result = stepgraph("advise", put("tea.txt", "boil\ngrind\npour\n"), "--most", "1")
    assert sum(line.startswith("  Nobody") for line in result.lines) == 1


def test_nothing_worth_asking_for_is_said(stepgraph: Run, put: Put) -> None:
    many = {str(number): ["boil", "pour"] for number in range(12)}
    result = stepgraph("advise", put("tea.csv", table(many)))
    assert result.lines == [
        "tea: 0 of 1 pair of steps are open",
        (
            "No order of steps is worth asking for: where these recordings show only one order, "
            "that order is probably needed."
        ),
    ]


def test_what_is_open_and_cannot_be_asked_for_is_named(stepgraph: Run, put: Put) -> None:
    orders = ["abc", "bcd", "abcd"]
    given = {str(number): list(order) for number, order in enumerate(orders)}
    result = stepgraph("advise", put("tea.csv", table(given)))
    assert result.lines == [
        "tea: 1 of 6 pairs of steps is open",
        (
            "No order of steps is worth asking for: a recording would have to do what probably "
            "cannot be done, to show 'd' before 'a'."
        ),
    ]


def test_json_has_questions_as_figures_and_sentences(stepgraph: Run, put: Put) -> None:
    (found,) = stepgraph("advise", put("tea.txt", "boil\ngrind\npour\n"), "--json").json
    assert found["order"] == ["pour", "grind", "boil"]
    question = found["questions"][0]
    assert (question["first"], question["second"], question["decides"]) == ("grind", "boil", 2)
    assert question["sentence"].startswith("Nobody has done 'boil' after 'grind'")


def test_too_many_steps_end_with_one_message(stepgraph: Run, put: Put) -> None:
    lines = "\n".join(f"step {number}" for number in range(10_000))
    result = stepgraph("advise", put("long.txt", lines))
    assert result.code == 2
    assert result.notes == [
        (
            "error: 10,000 different steps; advice is given for 200 or fewer, as every pair of "
            "them may be asked about"
        )
    ]


def test_what_the_answer_says_to_type_settles_the_first_question(stepgraph: Run) -> None:
    stepgraph("example", "pancakes")
    asked = stepgraph("advise", "pancakes.csv", "--json").json[0]["questions"][0]
    stated = f"{asked['first']} needs {asked['second']}"
    assert f"--must '{stated}'" in stepgraph("advise", "pancakes.csv").out
    left = stepgraph("advise", "pancakes.csv", "--json", "--must", stated).json[0]["questions"]
    assert asked not in left


def test_what_is_known_of_one_procedure_is_refused_for_several(stepgraph: Run, put: Put) -> None:
    rows = "recording,step,procedure\n1,a,x\n1,b,x\n2,a,y\n2,b,y\n"
    result = stepgraph("advise", put("two.csv", rows), "--must", "b>a")
    assert result.code == 2
    assert "choose it with --procedure NAME: 'x', 'y'" in result.err


def test_a_graph_of_another_procedure_is_refused(stepgraph: Run) -> None:
    stepgraph("example", "pancakes")
    stepgraph("example", "tea")
    result = stepgraph("advise", "tea.csv", "--graph", "pancakes.graph.json")
    assert (result.code, result.out) == (2, "")
    assert "none of its steps is in the recordings" in result.err
