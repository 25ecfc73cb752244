from __future__ import annotations

from tests.cli.running import Put, Run
from tests.cli.samples import table

RECORDINGS = {f"good {number}": list("abcdefgh") for number in range(8)} | {
    "late": list("bcdefgah"),
    "short": list("abcefgh"),
    "alien": list("stuvwxyz"),
}


def test_recordings_are_ranked_and_slips_pointed_at(stepgraph: Run, put: Put) -> None:
    result = stepgraph("audit", put("demos.csv", table(RECORDINGS)))
    assert result.code == 0
    assert result.lines[0] == ("demos: 11 recordings, 3 with findings, 8 without")
    ranked = [line.split()[0] for line in result.lines[4:7]]
    assert ranked[0] == "alien"
    assert set(ranked) == {"alien", "late", "short"}
    assert any("probably of another procedure" in line for line in result.lines)
    assert any("'a' out of order: done after 'b', which came" in line for line in result.lines)
    assert "          'd' skipped: never done; 9 of 11 recordings do it" in result.lines
    assert any(line.startswith("trusted: how reliable the recording is") for line in result.lines)
    assert any("alien" in note for note in result.notes)


def test_recordings_without_a_finding_are_listed_on_request(stepgraph: Run, put: Put) -> None:
    demos = put("demos.csv", table(RECORDINGS))
    assert "good 3" not in stepgraph("audit", demos).out
    assert "good 3" in stepgraph("audit", demos, "--all").out


def test_json_has_every_recording_with_its_findings(stepgraph: Run, put: Put) -> None:
    (found,) = stepgraph("audit", put("demos.csv", table(RECORDINGS)), "--json").json
    assert found["procedure"] == "demos"
    by_id = {entry["recording"]: entry for entry in found["recordings"]}
    assert set(by_id) == set(RECORDINGS)
    assert by_id["alien"]["other_procedure"]
    (finding,) = by_id["short"]["findings"]
    assert (finding["slip"], finding["step"], finding["position"]) == ("skipped", "d", None)


def test_steps_of_a_second_alternative_have_a_column_where_there_are_some(
    stepgraph: Run, put: Put
) -> None:
    cases = {f"a{number}": ["check", "accept", "pack"] for number in range(30)} | {
        f"r{number}": ["check", "reject", "scrap"] for number in range(20)
    }
    plain = stepgraph("audit", put("plain.csv", table(cases)), "--all")
    assert plain.lines[0] == "plain: 50 recordings, 0 with findings, 50 without"
    assert "other alternative" not in plain.out
    both = cases | {"both": ["check", "accept", "scrap", "pack"]}
    result = stepgraph("audit", put("both.csv", table(both)))
    assert "other alternative: how many steps of one although another one was taken" in result.out
    assert (
        "  step 3  'scrap' other alternative: done beside 'accept', its alternative; 1 of 51 "
        "recordings takes both"
    ) in result.lines


def test_one_recording_ends_with_a_note(stepgraph: Run, put: Put) -> None:
    result = stepgraph("audit", put("one.txt", "boil\npour\n"))
    assert result.code == 0
    assert result.lines == ["one: 1 recording, 0 with findings, 1 without"]
    assert result.notes == [
        "note: one recording alone cannot be contradicted: nothing can be said against it"
    ]


def test_too_many_steps_end_with_one_message(stepgraph: Run, put: Put) -> None:
    lines = "\n".join(f"step {number}" for number in range(10_000))
    result = stepgraph("audit", put("long.txt", lines))
    assert result.code == 2
    assert result.notes == [
        (
            "error: procedure 'long': 10,000 different steps; expected 300 or fewer, as each is "
            "compared with every other"
        )
    ]
