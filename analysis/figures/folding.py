"""Fold what stands far down a report's page, so that a page is short before it is unfolded.

fold(layouts)     mark figures, tables, matrices and whole groups that come after what is first read
"""

HEIGHT = 1_300  # px on a laptop that figures and tables may take before the next ones are folded
FIGURE = 450  # of a figure that states no height of its own
AROUND, LINE = 120, 44  # of a card's edges, caption and headings, and of a line of a table
MOST_LINES = 25  # of a table, before its own "more rows"
MATRIX, ACROSS = 330, 2  # of a row of confusion matrices, and how many stand in it


def fold(layouts):
    """Fold everything after the first figure and the first table that goes beyond HEIGHT.

    layouts: the analysis.figures.layout.Layout of each group, in the order of the page, which are
    changed: `is_folded` of figures, tables and of a whole group, `open_matrices` of a group.
    """
    height = 0
    for place, layout in enumerate(layouts):
        layout.is_folded = place > 0 and height > HEIGHT
        if not layout.is_folded:
            tables = [table for table in layout.tables if table.lines]
            first, later = layout.figures[:1] + tables[:1], layout.figures[1:] + tables[1:]
            height += sum(map(_height, first))
            height = _fold_matrices(layout, _fold_pieces(later, height))


def _fold_pieces(pieces, height):
    """Fold pieces that go beyond HEIGHT; return the height so far."""
    for piece in pieces:
        piece.is_folded = piece.is_folded or height + _height(piece) > HEIGHT
        height += _height(piece)
    return height


def _height(piece):
    if piece.is_folded:
        return LINE
    if hasattr(piece, "plot"):
        return AROUND + piece.plot.get("layout", {}).get("height", FIGURE)
    return AROUND + LINE * min(len(piece.lines), MOST_LINES)


def _fold_matrices(layout, height):
    """Keep as many rows of matrices open as fit, at least one; return the height so far."""
    rows = max(1, (HEIGHT - height) // MATRIX)
    layout.open_matrices = rows * ACROSS
    return height + MATRIX * min(rows, -(-len(layout.matrices) // ACROSS))
