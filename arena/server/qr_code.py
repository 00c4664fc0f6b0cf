"""A link as a picture that a phone reads."""

import io

import segno


def qr_svg(link: str) -> bytes:
    """The QR code of a link as SVG, on white, without sizes of its own."""
    picture = io.BytesIO()
    segno.make(link, error="m", micro=False).save(
        picture, kind="svg", border=4, dark="#000", light="#fff", xmldecl=False, svgclass=None, lineclass=None, omitsize=True
    )
    return picture.getvalue()
