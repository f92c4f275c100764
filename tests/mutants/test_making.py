"""The faults that are made of a source: which, where, and under what name."""

from tests.mutants.__main__ import WHOLE, equivalents, source_of
from tests.mutants.making import mutants_of

SOURCE = '''"""A text stays, é too."""

MOST = 3


@decorated(1)
def left(of: int = 2) -> bool:
    if not of and of <= MOST:
        logger.info("of")
        of += math.ceil(of / 2)
        store(of)
    return f"{of + 1}"
'''


def test_each_fault_changes_one_place():
    made = {(mutant.old, mutant.new) for mutant in mutants_of("a.py", SOURCE.encode())}
    assert made == {
        ("3", "4"),
        ("2", "3"),
        ("not of and of <= MOST", "(not of or of <= MOST)"),
        ("not of", "(of)"),
        ("of <= MOST", "(of < MOST)"),
        ("of += math.ceil(of / 2)", "of -= math.ceil(of / 2)"),
        ("math.ceil", "math.floor"),
        ("of / 2", "(of * 2)"),
        ("store(of)", "pass"),
        ("return f'{of + 1}'", "return None"),
    }


def test_a_fault_is_put_in_its_place_and_says_which_lines_reach_it():
    (rounded,) = (one for one in mutants_of("a.py", SOURCE.encode()) if one.new == "math.floor")
    changed = rounded.apply(SOURCE.encode()).decode()
    assert changed == SOURCE.replace("math.ceil", "math.floor")
    assert rounded.lines == (10,)
    assert rounded.key == "a.py left: math.ceil → math.floor (1)"
    (compared,) = (one for one in mutants_of("a.py", SOURCE.encode()) if "<" in one.new[:6])
    assert compared.lines == (8,), "the condition is reached where what follows it is not"


def test_equivalent_ones_are_of_the_code_as_it_is():
    made = {mutant.key for path in WHOLE for mutant in mutants_of(path, source_of(path))}
    stale = [key for key in equivalents() if key.split()[0] in WHOLE and key not in made]
    assert stale == [] and all(len(why) > 20 for why in equivalents().values())
