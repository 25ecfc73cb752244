from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.mutants.__main__ import GROUPS, ROOT
from tools.mutants.operators import mutants_of

SOURCE = '''
"""Nothing outside of functions is changed."""
LIMIT = 3

class Shop:
    @property
    def cheap(self):
        """Neither is a docstring."""
        return self.price < LIMIT

def halved(price, floor: int = 0):
    if price < 0:
        raise ValueError("a price below 0: " + str(price))
    return max(price / 2, floor)

def untested(price):
    return price + 1
'''
TESTS = """
import pytest
from shop import Shop, halved

def test_half():
    assert halved(8) == 4

def test_floor():
    assert halved(1, floor=2) == 2

def test_cheap():
    shop = Shop()
    shop.price = 2
    assert shop.cheap

def test_below_zero():
    with pytest.raises(ValueError):
        halved(-1)
"""
RUN = """
import json, pytest
from pathlib import Path
from tools.mutants.runner import MutantRunner

results = []
runner = MutantRunner([Path("shop.py")], None, 10, results.append)
code = pytest.main(["-s", "-p", "no:randomly", "-p", "no:cacheprovider", "."], plugins=[runner])
Path("results.json").write_text(json.dumps([int(code), results]))
"""


def test_mutants_are_small_changes_inside_functions_and_leave_texts_alone() -> None:
    changes = [(mutant.function, mutant.change) for mutant in mutants_of(ast.parse(SOURCE))]
    assert changes == [
        ("Shop.cheap", "return self.price < LIMIT  ->  return None"),
        ("Shop.cheap", "self.price < LIMIT  ->  self.price <= LIMIT"),
        ("halved", "0  ->  1"),
        ("halved", "price < 0  ->  True"),
        ("halved", "price < 0  ->  False"),
        ("halved", "price < 0  ->  price <= 0"),
        ("halved", "0  ->  1"),
        ("halved", "return max(price / 2, floor)  ->  return None"),
        ("halved", "max(price / 2, floor)  ->  min(price / 2, floor)"),
        ("halved", "price / 2  ->  price * 2"),
        ("halved", "2  ->  3"),
        ("untested", "return price + 1  ->  return None"),
        ("untested", "price + 1  ->  price - 1"),
        ("untested", "1  ->  2"),
    ]


def test_a_mutant_survives_exactly_if_no_test_notices_it(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SOURCE)
    (tmp_path / "test_shop.py").write_text(TESTS)
    subprocess.run(
        [sys.executable, "-c", RUN], cwd=tmp_path, check=True, env={"PYTHONPATH": str(ROOT)}
    )
    code, results = json.loads((tmp_path / "results.json").read_text())
    assert code == 0
    left = {
        (result["function"], result["change"]): result["status"]
        for result in results
        if result["status"] != "killed"
    }
    assert left == {
        ("Shop.cheap", "self.price < LIMIT  ->  self.price <= LIMIT"): "survived",
        ("halved", "0  ->  1"): "survived",  # of the default, as of the limit
        ("halved", "price < 0  ->  price <= 0"): "survived",
        ("untested", "return price + 1  ->  return None"): "not reached",
        ("untested", "price + 1  ->  price - 1"): "not reached",
        ("untested", "1  ->  2"): "not reached",
    }


@pytest.mark.parametrize("group", GROUPS)
def test_each_group_names_sources_and_tests_that_exist(group: str) -> None:
    assert all(list(ROOT.glob(pattern)) for pattern in GROUPS[group]["sources"])
    assert all((ROOT / test.partition("::")[0]).exists() for test in GROUPS[group]["tests"])
