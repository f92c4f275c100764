"""A page is short before it is unfolded: one figure and one table, and more where it fits."""

from analysis.figures.folding import HEIGHT, fold
from analysis.figures.layout import Figure, Layout, Matrix, Table


def table(lines, caption="By people."):
    return Table(caption, ["a"], [(str(number), [number]) for number in range(lines)])


def drawn(height):
    return Figure("key", "A caption.", {"layout": {"height": height}})


def folded(layout):
    return [piece.is_folded for piece in layout.figures + layout.tables]


def test_the_first_figure_and_the_first_table_stay_open_however_high():
    layout = Layout([drawn(5 * HEIGHT), drawn(100)], [table(25), table(1)])
    fold([layout])
    assert folded(layout) == [False, True, False, True]


def test_short_pages_are_not_folded_at_all():
    layout = Layout([drawn(200)], [table(3), table(3), table(3)])
    fold([layout])
    assert not any(folded(layout)) and not layout.is_folded


def test_a_table_without_lines_is_not_the_first():
    layout = Layout([drawn(5 * HEIGHT)], [table(0), table(2), table(2)])
    fold([layout])
    assert [piece.is_folded for piece in layout.tables] == [False, False, True]


def test_what_a_report_folded_stays_folded():
    kept = table(1)
    kept.is_folded = True
    layout = Layout([], [table(1), kept])
    fold([layout])
    assert kept.is_folded


def test_groups_that_begin_below_the_first_screens_are_folded_whole():
    layouts = [Layout([drawn(700)], [table(20)]) for _ in range(3)]
    fold(layouts)
    assert [layout.is_folded for layout in layouts] == [False, True, True]


def test_only_the_first_of_many_matrices_are_open():
    matrices = [Matrix(str(number), [], [], 0, 0, None) for number in range(19)]
    layout = Layout([], [], matrices=matrices)
    fold([layout])
    assert 2 <= layout.open_matrices <= 8
    assert layout.first_matrices + layout.later_matrices == matrices
