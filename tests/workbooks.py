"""Make workbooks by hand, as Excel writes them, without a library that the product reads with."""

import io
import zipfile
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def workbook(sheets, more=None):
    """Return the bytes of an .xlsx with {name: rows}; more: further members of the archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**_frame(sheets), **(more or {})}.items():
            archive.writestr(name, text)
    return packed.getvalue()


def with_nameless(data):
    """Return the archive with one more member, which has no name."""
    packed = io.BytesIO(data)
    with zipfile.ZipFile(packed, "a") as archive:
        member = zipfile.ZipInfo("x")
        member.filename = ""
        archive.writestr(member, "x")
    return packed.getvalue()


def _frame(sheets):
    numbers = range(1, len(sheets) + 1)
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{KIND}.worksheet+xml"/>'
        for n in numbers
    )
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>'
        for n, name in enumerate(sheets, 1)
    )
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>{types}'
        "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{links}'
        "</Relationships>",
        **{
            f"xl/worksheets/sheet{n}.xml": _sheet(rows) for n, rows in enumerate(sheets.values(), 1)
        },
    }


def _sheet(rows):
    cells = (
        f'<row r="{number}">' + "".join(_cell(cell) for cell in row) + "</row>"
        for number, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(cells)}</sheetData></worksheet>'


def _cell(cell):
    if cell is None:
        return "<c/>"
    if isinstance(cell, bool):
        return f'<c t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, int | float):
        return f"<c><v>{cell}</v></c>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
