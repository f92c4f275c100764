"""Write a drawing of lines, discs and texts as SVG or PDF, without a renderer."""

from functools import singledispatch

from django.utils.html import format_html, format_html_join

from analysis.figures.forest import Disc, Label, Stroke

SANS, SERIF = "sans", "serif"
FAMILIES = {SANS: "Helvetica, Arial, sans-serif", SERIF: "Times New Roman, Times, serif"}
PDF_FONTS = {SANS: "Helvetica", SERIF: "Times-Roman"}
ROUND = 0.5523  # how far a curve's handles stand from the ends of a quarter circle
DASH = 3


SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{}pt" height="{}pt" viewBox="0 0 {} {}" role="img" \
font-family="{}">
<title>{}</title>
{}
</svg>
"""


def as_svg(drawing, font=SANS, words=""):
    """Return the drawing as an SVG file, whose texts are escaped.

    words: what it shows, for who cannot see it.
    """
    size = f"{drawing.width:.1f}", f"{drawing.height:.1f}"
    shapes = format_html_join("\n", "{}", ((_svg(shape),) for shape in drawing.shapes))
    return format_html(SVG, *size, *size, FAMILIES[font], words, shapes)


@singledispatch
def _svg(shape):
    raise TypeError(f"no shape: {shape!r}")


@_svg.register
def _(shape: Stroke):
    ends = [f"{end:.2f}" for end in (shape.x1, shape.y1, shape.x2, shape.y2)]
    dash = format_html(' stroke-dasharray="{}"', DASH) if shape.is_dashed else ""
    line = '<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}"{}/>'
    return format_html(line, *ends, shape.colour, shape.width, dash)


@_svg.register
def _(shape: Disc):
    centre = f"{shape.x:.2f}", f"{shape.y:.2f}"
    circle = '<circle cx="{}" cy="{}" r="{}" fill="{}"/>'
    return format_html(circle, *centre, shape.radius, shape.colour)


@_svg.register
def _(shape: Label):
    start = f"{shape.x:.2f}", f"{shape.y:.2f}"
    text = '<text x="{}" y="{}" font-size="{}" fill="{}">{}</text>'
    return format_html(text, *start, shape.size, shape.colour, shape.text)


def as_pdf(drawing, font=SANS):
    """Return the drawing as a PDF file of one page.

    Its font is one that every reader of PDF has, so that none is embedded; letters that it lacks
    (such as Chinese ones) become question marks.
    """
    content = "\n".join(_pdf(shape, drawing.height) for shape in drawing.shapes).encode("cp1252")
    box = f"[0 0 {drawing.width:.1f} {drawing.height:.1f}]"
    own = f"/Type /Font /Subtype /Type1 /BaseFont /{PDF_FONTS[font]} /Encoding /WinAnsiEncoding"
    page = f"/Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R"
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< {page} /Resources << /Font << /F 5 0 R >> >> >>".encode(),
            b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
            f"<< {own} >>".encode(),
        ]
    )


def _file(objects):
    """Put numbered objects together with the table that tells where each of them begins."""
    body, starts = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        starts.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    count = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    return body + (
        b"xref\n0 %d\n0000000000 65535 f \n%b" % (count, table)
        + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(body))
    )


def _colour(name):
    """Write #rrggbb as three shares."""
    return " ".join(f"{int(name[start : start + 2], 16) / 255:.3f}" for start in (1, 3, 5))


@singledispatch
def _pdf(shape, height):
    raise TypeError(f"no shape: {shape!r}")


@_pdf.register
def _(shape: Stroke, height):
    dash = f"[{DASH}] 0 d" if shape.is_dashed else "[] 0 d"
    ends = f"{shape.x1:.2f} {height - shape.y1:.2f} m {shape.x2:.2f} {height - shape.y2:.2f} l"
    return f"{_colour(shape.colour)} RG {shape.width} w {dash} {ends} S"


@_pdf.register
def _(shape: Disc, height):
    x, y, r = shape.x, height - shape.y, shape.radius
    k = ROUND * r
    quarters = [
        (x + r, y + k, x + k, y + r, x, y + r),
        (x - k, y + r, x - r, y + k, x - r, y),
        (x - r, y - k, x - k, y - r, x, y - r),
        (x + k, y - r, x + r, y - k, x + r, y),
    ]
    curves = " ".join(" ".join(f"{number:.2f}" for number in part) + " c" for part in quarters)
    return f"{_colour(shape.colour)} rg {x + r:.2f} {y:.2f} m {curves} f"


@_pdf.register
def _(shape: Label, height):
    text = shape.text.replace("−", "–").encode("cp1252", "replace").decode("cp1252")
    for letter in "\\()":
        text = text.replace(letter, f"\\{letter}")
    place = f"{shape.x:.2f} {height - shape.y:.2f} Td"
    return f"{_colour(shape.colour)} rg BT /F {shape.size} Tf {place} ({text}) Tj ET"
