r"""Write a paper's tables and words for LaTeX: booktabs, and no table wider than the page."""

from analysis.paper.blocks import Listing, Made, Words
from analysis.paper.citations import in_latex
from analysis.paper.table import BEST, SECOND, UNDEFINED, Table
from analysis.serving.latex import escaped

MOST_LINES = 40  # of a table; more stand in a further one
MARKS = {BEST: r"\textbf{%s}", SECOND: r"\underline{%s}", "": "%s"}
WIDE = 4  # columns beside the names, from which on a table takes the whole page's width
NO_WIDER = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
HEAD = r"""% Compile with pdflatex, bibtex, pdflatex, pdflatex; letters beyond Latin want lualatex.
\documentclass{article}
\usepackage[margin=2.5cm]{geometry}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\fi
\usepackage{amssymb,booktabs,graphicx,natbib}
\sloppy
\begin{document}
"""
FOOT = "\\end{document}\n"


def as_latex(table, style):
    """Return a table as LaTeX; it needs booktabs, graphicx and amssymb."""
    blocks = [
        (headings, sizes, rows[start : start + MOST_LINES])
        for headings, sizes, rows in table.blocks(style)
        for start in range(0, len(rows), MOST_LINES)
    ]
    pieces = ["% needs \\usepackage{amssymb,booktabs,graphicx}"]
    for place, block in enumerate(blocks):
        caption = table.caption_in(style) if place == 0 else f"{table.caption} (continued)"
        label = f"\\label{{tab:{table.key}}}" if place == 0 else ""
        pieces += _float(table, caption, label, block)
    return "\n".join(pieces) + "\n"


def _float(table, caption, label, block):
    headings, sizes, rows = block
    kind = "table*" if len(headings) >= WIDE else "table"
    yield f"\\begin{{{kind}}}[tb]\n\\centering\n\\caption{{{escaped(caption)}}}{label}"
    yield f"{NO_WIDER}\n\\begin{{tabular}}{{l{'r' * len(headings)}}}\n\\toprule"
    yield f"{' & '.join(map(escaped, [table.corner, *headings]))} \\\\"
    if any(sizes) and not table.common_size:
        words = [f"n = {size}" if size else "" for size in sizes]
        yield f" & {' & '.join(map(escaped, words))} \\\\"
    yield "\\midrule"
    for place, (line, cells) in enumerate(rows):
        if place and table.order and rows[place - 1][0].is_ranked and not line.is_ranked:
            yield "\\midrule"
        yield f"{escaped(line.name)} & {' & '.join(map(_cell, cells))} \\\\"
    yield f"\\bottomrule\n\\end{{tabular}}}}\n\\end{{{kind}}}"


def _cell(cell):
    if cell.words == UNDEFINED:
        return "--"
    words = MARKS[cell.rank] % escaped(cell.words)
    return f"{words} {{\\scriptsize {escaped(cell.interval)}}}" if cell.interval else words


def document(paper, style):
    """Return the whole paper as a LaTeX document that takes tables and figures from its folder."""
    parts = [HEAD, f"\\title{{{escaped(paper.title)}}}\\date{{}}\\maketitle\n"]
    parts += [_section(section) for section in paper.sections]
    if paper.keys:
        parts.append("\\bibliographystyle{plainnat}\n\\bibliography{references}\n")
    return "\n".join([*parts, FOOT])


def _section(section: Made):
    blocks = "\n".join(_block(block) for block in section.blocks)
    return f"\\section*{{{escaped(section.title)}}}\n{blocks}\n"


def _block(block):
    if isinstance(block, Words):
        return "\n\n".join(in_latex(text, escaped) for text in block.paragraphs) + "\n"
    if isinstance(block, Table):
        return f"\\input{{tables/{block.key}}}"
    if isinstance(block, Listing):
        items = "\n".join(
            f"\\item \\textbf{{{escaped(name)}}}: {escaped(meaning)}"
            for name, meaning in block.entries
        )
        head = f"\\subsection*{{{escaped(block.heading)}}}"
        return f"{head}\n\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
    caption = f"\\caption{{{escaped(block.caption)}}}\\label{{fig:{block.key}}}"
    size = "width=\\linewidth,height=.85\\textheight,keepaspectratio"
    image = f"\\includegraphics[{size}]{{figures/{block.key}.pdf}}"
    return f"\\begin{{figure*}}[tb]\n\\centering\n{image}\n{caption}\n\\end{{figure*}}"
