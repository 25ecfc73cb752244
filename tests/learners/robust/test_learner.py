from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.generators import Noise, draw_demonstrations, random_procedure
from stepgraph.errors import InputError, SettingError
from stepgraph.evaluation import compare_edges
from stepgraph.graph import Constraints, TaskGraph
from stepgraph.graph.adjacency import closure, reduction
from stepgraph.learners import Learned, get_learner
from stepgraph.learners.robust import Robust, learner
from stepgraph.learners.robust.demonstrators import Recordings
from stepgraph.learners.robust.learner import FEWEST, without_slips
from stepgraph.postprocess import to_graph
from stepgraph.procedures import load_procedure, procedure_names
from stepgraph.repetitions import Repetitions
from stepgraph.sequences import Demonstrations
from tests.operations import calls


def _graph(method: str, demonstrations: Demonstrations, **given: Any) -> TaskGraph:
    return to_graph(get_learner(method, **given).learn(demonstrations).adjacency).graph


def test_progress_is_told_while_one_procedure_is_learned() -> None:
    given = Demonstrations.from_steps(["abcdefgh", "badcfehg", "abdcefhg", "cabdefgh"])
    told: list[tuple[int, int]] = []
    learner = get_learner("robust")
    ((learned,),) = learner.learn_many([given], progress=lambda *parts: told.append(parts[:2]))
    shares = [done / total for done, total in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(set(shares)) > 10
    assert learned.adjacency.matrix.tobytes() == learner.learn(given).adjacency.matrix.tobytes()


def test_one_wrong_recording_among_many_right_ones_changes_nothing() -> None:
    recordings = ["abcdefgh"] * 6 + ["bacdefgh", "abcdfegh"] * 3 + ["hgfedcba"]
    robust = _graph("robust", Demonstrations.from_steps(recordings))
    exact = _graph("intersection", Demonstrations.from_steps(recordings[:-1]))
    assert robust == exact
    assert _graph("intersection", Demonstrations.from_steps(recordings)) != exact


@pytest.mark.parametrize(
    ("steps", "more", "needs"),
    [
        (["boil", "stir", "wash", "peel"], [], ()),
        (["boil", "stir", "wash", "peel"], ["abxy"], ("boil",)),
        (["boil milk", "stir milk", "wash", "peel"], [], ("boil milk",)),
    ],
    ids=["neither", "one right after the other", "a word in common"],
)
def test_an_order_that_chance_may_have_made_has_no_edge(
    steps: list[str], more: list[str], needs: tuple[str, ...]
) -> None:
    names = dict(zip("abxy", steps, strict=True))
    always = ["axby", "aybx", "xayb", "yaxb"] * 3 + more  # a before b in all of them
    given = Demonstrations.from_steps([[names[step] for step in one] for one in always])
    assert _graph("robust", given).preconditions_of(steps[1]) == needs


def test_the_careless_recording_is_named_and_counts_little() -> None:
    recordings = {f"good {n}": "abcdefgh" for n in range(8)} | {"bad": "hgfedcba"}
    learned = get_learner("robust").learn(Demonstrations.from_steps(recordings))
    note = learned.notes[-1]
    assert note == "recording 'bad' shows about 91 % of its steps out of turn"
    assert learned.facts["careless"] == 1
    assert learned.trust is not None
    assert learned.trust[-1] < 0.1 < 0.9 < min(learned.trust[:-1])


def test_a_skipped_step_is_no_evidence_against_its_edges() -> None:
    recordings = ["abcd", "abcd", "acbd", "acbd", "acd", "abd"]
    graph = _graph("robust", Demonstrations.from_steps(recordings))
    assert graph.preconditions_of("d") == ("b", "c")


def test_with_mistakes_it_keeps_what_trusting_learners_lose() -> None:
    scores: dict[str, list[float]] = {"robust": [], "intersection": []}
    for seed in range(4):
        truth = random_procedure(12, width=4, density=0.7, seed=seed)
        noisy = draw_demonstrations(truth, 16, seed=seed, noise=Noise.mixed(0.1))
        for method, found in scores.items():
            found.append(compare_edges(_graph(method, noisy), truth).f1)
    assert fmean(scores["robust"]) > 0.75
    assert fmean(scores["robust"]) > fmean(scores["intersection"]) + 0.2


def test_on_the_shipped_recordings_with_their_faults_it_beats_the_exact_order() -> None:
    def mean(method: str) -> float:
        return fmean(
            compare_edges(_graph(method, procedure.demonstrations), procedure.graph).f1
            for procedure in map(load_procedure, procedure_names())
        )

    assert mean("robust") > 0.9 > mean("intersection")


def _order(learned: Learned) -> NDArray[np.bool_]:
    """Return the order that was learned, closed, without START."""
    order: NDArray[np.bool_] = learned.adjacency.matrix > 0
    order[:, 0] = False
    return order


def test_of_many_recordings_the_most_frequent_are_looked_at_in_the_order_they_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    orders = ["cab", *["abc"] * 2, *["acb"] * 3, "bac", "a"]
    recordings = Recordings.of(Demonstrations.from_steps(orders), Repetitions.FIRST, 0)
    monkeypatch.setattr(learner, "MOST_PLACES", 2 * 3 * 3)
    people, _ = Robust().most_probable(recordings)
    assert people.sequences == recordings.sequences[1:3]
    assert people.weights.tolist() == [2.0, 3.0]
    monkeypatch.setattr(learner, "MOST_PLACES", 1)  # too few for one of them
    people, _ = Robust().most_probable(recordings)
    assert people.sequences == recordings.sequences[2:3]


def test_the_search_finds_what_pairs_on_their_own_leave_open() -> None:
    demonstrations = Demonstrations.from_steps(["bdac", "dacb", "dacb", "dacb"])
    recordings = Recordings.of(demonstrations, Repetitions.FIRST, 0)
    name = demonstrations.vocabulary.name
    _, order = Robust().most_probable(recordings)
    found = {(name(int(one)), name(int(other))) for one, other in np.argwhere(reduction(order))}
    assert found == {("a", "d"), ("c", "a"), ("b", "c")}
    b, c = demonstrations.vocabulary.node("b"), demonstrations.vocabulary.node("c")
    _, order = Robust().most_probable(recordings, ((b, c),))
    assert not order[b, c]


def test_trust_in_a_recording_is_the_mean_share_of_steps_in_turn_of_its_readings() -> None:
    demonstrations = Demonstrations.from_steps(["abcd", "abcd", "abcda", "dcba", "abd"])
    robust = Robust(repetitions=Repetitions.EXPAND)
    learned = robust.learn(demonstrations)
    recordings = Recordings.of(demonstrations, Repetitions.EXPAND, 0)
    order = _order(learned)
    slips = robust.everybody(recordings, order).slips(order)
    shares = [
        1 - sum(slips[number]) / len(steps) for number, steps in enumerate(recordings.sequences)
    ]
    assert len(recordings.owners[2]) == 2
    assert learned.trust == pytest.approx(
        [fmean(shares[number] for number in own) for own in recordings.owners]
    )


def test_everybody_is_fitted_until_nothing_changes_any_more() -> None:
    recordings = Recordings.of(
        Demonstrations.from_steps(["abcd"] * 4 + ["dcba"]), Repetitions.FIRST, 0
    )
    order = closure(np.diag([False, True, True, True, False], -1))
    people = Robust().everybody(recordings, order)
    rates, liking = people.rates, people.liking
    people.fit(order, 1)
    assert people.rates == pytest.approx(rates, abs=1e-3)
    assert people.liking == pytest.approx(liking, abs=0.02)


def test_every_pair_of_the_order_has_a_weight_and_every_step_needs_start() -> None:
    learned = get_learner("robust").learn(Demonstrations.from_steps(["abcd"] * 5 + ["abdc"] * 5))
    order, weights = _order(learned), learned.adjacency.matrix
    assert np.array_equal(order, closure(order))
    assert weights[order].min() >= 1e-3
    assert (weights[1:, 0] == 1).all()
    assert not weights[0].any()
    assert learned.confidence is not None
    implied = order & ~reduction(order)
    assert weights[implied] == pytest.approx(learned.confidence.matrix[implied])
    assert learned.adjacency.threshold == 0  # what is in the order was weighed already


def test_a_pair_that_is_required_is_certain() -> None:
    told = get_learner("robust", constraints=Constraints(must=[("a", "c")]))
    learned = told.learn(Demonstrations.from_steps(["abc"] * 3))
    assert learned.confidence is not None
    assert learned.adjacency.weight("a", "c") == learned.confidence.weight("a", "c") == 1


def test_the_error_rate_is_the_mean_of_the_recordings() -> None:
    careful, careless = (
        get_learner("robust").learn(Demonstrations.from_steps(["abcdef"] * 6 + [last] * 2))
        for last in ("abcdef", "fedcba")
    )
    assert 0 < careful.facts["error_rate"] < 0.1 < careless.facts["error_rate"] < 0.3
    assert (careful.facts["careless"], careless.facts["careless"]) == (0, 2)


def test_careless_recordings_are_named_the_worst_first() -> None:
    recordings = {f"good {n}": "abcdefgh" for n in range(8)}
    recordings |= {"bad": "badcfehg", "worst": "hgfedcba"}
    notes = get_learner("robust").learn(Demonstrations.from_steps(recordings)).notes
    assert [note.split("'")[1] for note in notes if "out of turn" in note] == ["worst", "bad"]


def test_must_never_and_prior_are_obeyed() -> None:
    demonstrations = Demonstrations.from_steps(["abc", "abc", "acb"])
    graph = _graph(
        "robust", demonstrations, constraints=Constraints(must=[("a", "c")], never=[("b", "a")])
    )
    assert "c" in graph.all_preconditions_of("a")
    assert "a" not in graph.all_preconditions_of("b")


@pytest.mark.parametrize(
    ("small", "large", "most"),
    [((12, 16), (25, 16), 6), ((25, 16), (25, 32), 2.2)],
    ids=["twice the steps", "twice the recordings"],
)
def test_the_work_grows_no_faster_than_pairs_of_steps_and_recordings(
    small: tuple[int, int], large: tuple[int, int], most: float
) -> None:
    before, after = (
        draw_demonstrations(
            random_procedure(steps, width=steps // 4, density=0.7, seed=0),
            count,
            seed=0,
            noise=Noise.mixed(0.05),
        )
        for steps, count in (small, large)
    )
    learn = get_learner("robust").learn
    assert calls(lambda: learn(after)) < most * calls(lambda: learn(before))


def test_a_weight_counts_as_so_many_equal_recordings() -> None:
    orders = ["abcde"] * 5 + ["bacde"] * 3 + ["abced"]
    copies = Demonstrations.from_steps(orders)
    weighted = Demonstrations(
        copies.vocabulary,
        tuple(
            replace(copies.sequences[first], weight=weight)
            for first, weight in ((0, 5.0), (5, 3.0), (8, 1.0))
        ),
    )
    one, other = (get_learner("robust").learn(given) for given in (copies, weighted))
    assert one.adjacency.matrix == pytest.approx(other.adjacency.matrix)
    assert one.facts == pytest.approx(other.facts)


def test_every_pair_has_a_probability_and_both_orders_do_not_add_up_to_more_than_one() -> None:
    demonstrations = Demonstrations.from_steps(["abcd", "abdc", "acbd", "abcd", "dabc"])
    confidence = get_learner("robust").learn(demonstrations).confidence
    assert confidence is not None
    for one in "abcd":
        for other in "abcd":
            if one != other:
                both = confidence.weight(one, other) + confidence.weight(other, one)
                assert 0 < both <= 1


def test_more_recordings_make_it_surer() -> None:
    few, many = (
        _graph("robust", Demonstrations.from_steps(["abc"] * count)).weights["b", "a"]
        for count in (2, 20)
    )
    assert few < many < 1


def test_one_recording_gives_its_own_order_without_certainty() -> None:
    learned = get_learner("robust").learn(Demonstrations.from_steps(["abcd"]))
    graph = to_graph(learned.adjacency).graph
    assert graph.preconditions_of("d") == ("c",)
    assert graph.weights["d", "c"] < 0.9


def test_recordings_that_share_no_step_give_an_order_to_neither_of_the_other() -> None:
    graph = _graph("robust", Demonstrations.from_steps(["ab", "cd"]))
    assert graph.preconditions_of("c") == ()
    assert graph.preconditions_of("d") == ("c",)


def test_ten_thousand_steps_in_one_recording_are_learned() -> None:
    long = "abcde" * 2_000
    graph = _graph("robust", Demonstrations.from_steps([long, "abcde", "abdce"]))
    assert graph.preconditions_of("b") == ("a",)


def test_a_procedure_with_too_many_steps_is_refused_with_another_method() -> None:
    steps = [f"step {number}" for number in range(1_501)]
    with pytest.raises(InputError, match=r"1501 steps.*'intersection'"):
        get_learner("robust").learn(Demonstrations.from_steps([steps]))


@pytest.mark.parametrize("setting", ["errors", "successes"])
def test_a_setting_that_cannot_be_is_refused(setting: str) -> None:
    settings: dict[str, Any] = {setting: -1.0}
    with pytest.raises(SettingError, match=setting):
        get_learner("robust", **settings)


@pytest.mark.parametrize(
    "given",
    [{"errors": 0.5, "successes": 0.5}, {"least_probable": 0}, {"least_probable": 1}],
)
def test_settings_at_their_limits_are_taken(given: dict[str, Any]) -> None:
    made = Robust(**given)
    assert {name: getattr(made, name) for name in given} == given


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("errors", 0, "above 0"),
        ("successes", 0, "above 0"),
        ("errors", -1, "above 0"),
        ("least_probable", -0.1, "from 0"),
        ("least_probable", 1.1, "1 or less"),
        ("least_probable", 2, "1 or less"),
    ],
)
def test_settings_beyond_their_limits_are_refused(name: str, value: Any, expected: str) -> None:
    with pytest.raises(SettingError, match=f"^{name} is {value}.*{expected}"):
        Robust(**{name: value})


def test_all_parts_of_all_procedures_are_told_each_once() -> None:
    given = Demonstrations.from_steps(["abcd", "bacd", "abdc"], procedure="tea")
    told: list[tuple[int, int, str]] = []
    Robust().learn_many([given, given], progress=lambda *what: told.append(what))
    first = [done for done, _, what in told if what == "learning tea"]
    assert first == sorted(set(first))
    assert first[0] == 0
    assert learner.PARTS in first
    assert {total for _, total, _ in told} == {2 * learner.PARTS}
    assert told[-1] == (2 * learner.PARTS, 2 * learner.PARTS, "learned")


def test_every_seed_has_its_result_drawn_or_shared() -> None:
    given = Demonstrations.from_steps(["abcabd", "bacabd", "abcbad", "cabdab", "abdcab", "bdacba"])
    for repetitions in (Repetitions.FIRST, Repetitions.RANDOM):
        learner = Robust(repetitions=repetitions)
        (found,) = learner.learn_many([given], seeds=[0, 1, 2])
        alone = [learner.learn(given, seed=seed) for seed in range(3)]
        assert [one.adjacency.matrix.tobytes() for one in found] == [
            one.adjacency.matrix.tobytes() for one in alone
        ]
    assert learner.learn(given).adjacency.matrix.tobytes() == found[0].adjacency.matrix.tobytes()
    assert len({one.adjacency.matrix.tobytes() for one in found}) > 1


def test_the_error_rate_is_that_of_all_recordings_however_they_are_counted() -> None:
    orders = ["abcd"] * 6 + ["dcba"]
    listed = Demonstrations.from_steps(orders)
    first, last = listed.sequences[0], listed.sequences[-1]
    weighed = replace(listed, sequences=(replace(first, weight=6.0), last))
    rates = [Robust().learn(given).facts["error_rate"] for given in (listed, weighed)]
    assert rates[0] == pytest.approx(rates[1])
    assert 0 < rates[0] < 0.25


@pytest.mark.parametrize("seed", range(4))
def test_no_edge_is_less_probable_than_what_was_asked_for(seed: int) -> None:
    graph = random_procedure(9, width=4, density=0.4, seed=seed)
    given = draw_demonstrations(graph, 6, seed=seed, noise=Noise.mixed(0.2))
    for least in (0.5, 0.8):
        learned = Robust(least_probable=least).learn(given)
        assert learned.confidence is not None
        found = to_graph(learned.adjacency).graph
        between = [edge for edge in found.edges if edge[0] != "END" and edge[1] != "START"]
        assert all(learned.confidence.weight(*edge) >= least for edge in between)


@pytest.mark.parametrize("seed", range(4))
def test_a_higher_limit_takes_away_what_is_less_probable_and_shows_nothing_new(seed: int) -> None:
    graph = random_procedure(9, width=4, density=0.4, seed=seed)
    given = draw_demonstrations(graph, 6, seed=seed, noise=Noise.mixed(0.2))
    usual, half = Robust().learn(given), Robust(least_probable=0.5).learn(given)
    assert usual.confidence is not None
    assert half.confidence is not None
    assert half.confidence.matrix.tobytes() == usual.confidence.matrix.tobytes()
    orders = [to_graph(one.adjacency).graph for one in (usual, half)]
    before, after = (
        {(a, b) for a in one.steps for b in one.all_preconditions_of(a)} for one in orders
    )
    assert after <= before
    probable = {edge for edge in before if usual.confidence.weight(*edge) >= 0.5}
    first, second = ({edge for edge in one.edges if edge in before} for one in orders)
    assert second <= probable  # so that what was an edge and is less probable is gone
    assert first & probable <= after


def test_recordings_without_a_slip_are_all_kept() -> None:
    recordings = Demonstrations.from_steps(["abcd", "acbd", "abcd", "acbd"])
    assert without_slips(recordings) == recordings


def test_some_recordings_are_kept_even_where_everybody_slips() -> None:
    orders = ["abcdefgh", "hgfedcba", "bahgdcfe", "efghabcd", "dcbahgfe"]
    assert len(without_slips(Demonstrations.from_steps(orders))) >= FEWEST


def test_protected_direct_optimization_keeps_the_order_that_one_bad_recording_spoils() -> None:
    recordings = Demonstrations.from_steps(["abcdef"] * 5 + ["abdcef"] * 3 + ["fedcba"])
    plain, protected = (
        to_graph(get_learner("do", protected=flag).learn(recordings).adjacency).graph
        for flag in (False, True)
    )
    assert protected.is_valid("abcdef", complete=True)
    assert "a" in protected.all_preconditions_of("f")
    assert "a" not in plain.all_preconditions_of("f")


def test_an_order_that_too_many_recordings_contradict_for_slips_is_free() -> None:
    """In otherwise clean recordings 20 of 320 are a style of their own, 1 of 16 may be a slip."""
    many = Demonstrations.from_steps(["abcdef"] * 300 + ["bacdef"] * 20)
    assert _graph("robust", many).preconditions_of("b") == ()
    assert _graph("robust", many).preconditions_of("c") == ("a", "b")
    few = Demonstrations.from_steps(["abcdef"] * 15 + ["bacdef"])
    assert _graph("robust", few).preconditions_of("b") == ("a",)


def test_nothing_comes_after_a_step_that_one_of_many_recordings_shows() -> None:
    many = Demonstrations.from_steps(["abc"] * 20 + ["axbc"])
    graph = _graph("robust", many)
    assert (graph.preconditions_of("x"), graph.dependents_of("x")) == (("a",), ())
    assert graph.preconditions_of("b") == ("a",)
    few = Demonstrations.from_steps(["abc"] * 3 + ["axbc"])
    assert _graph("robust", few).dependents_of("x") == ("b",)
