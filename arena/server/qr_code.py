"""A link as a picture that a phone reads."""

import io


def qr_svg(link: str) -> bytes | None:
    """The QR code of a link as SVG, on white, without sizes of its own; None: the library that draws it is not installed."""
    try:
        import segno
    except ImportError:  # an installation from before it was wanted
        return None
    picture = io.BytesIO()
    segno.make(link, error="m", micro=False).save(
        picture, kind="svg", border=4, dark="#000", light="#fff", xmldecl=False, svgclass=None, lineclass=None, omitsize=True
    )
    return picture.getvalue()
