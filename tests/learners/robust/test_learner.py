from __future__ import annotations

import time
from dataclasses import replace
from statistics import fmean

import pytest

from tgml.errors import InputError, SettingError
from tgml.evaluation import compare_edges
from tgml.graph import TaskGraph
from tgml.learners import get_learner
from tgml.postprocess import to_graph
from tgml.procedures import load_procedure, procedure_names
from tgml.sequences import Demonstrations
from tgml.synthetic import Noise, draw_demonstrations, random_procedure


def _graph(method: str, demonstrations: Demonstrations, **given: object) -> TaskGraph:
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


def test_must_never_and_prior_are_obeyed() -> None:
    demonstrations = Demonstrations.from_steps(["abc", "abc", "acb"])
    graph = _graph("robust", demonstrations, must=[("a", "c")], never=[("b", "a")])
    assert "c" in graph.all_preconditions_of("a")
    assert "a" not in graph.all_preconditions_of("b")


def test_a_recipe_takes_well_under_a_second() -> None:
    truth = random_procedure(25, width=6, density=0.7, seed=0)
    demonstrations = draw_demonstrations(truth, 16, seed=0, noise=Noise.mixed(0.05))
    started = time.process_time()
    get_learner("robust").learn(demonstrations)
    assert time.process_time() - started < 1


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
    with pytest.raises(SettingError, match=setting):
        get_learner("robust", **{setting: -1.0})
