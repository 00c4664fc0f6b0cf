"""`arena doctor`: what this machine gives for locking strangers' bots in."""

from rich.console import Console

from arena.seats.sandbox import examine


def doctor() -> int:
    """Test on this machine what locks strangers' bots in; returns 1 where they cannot be."""
    console = Console(highlight=False, soft_wrap=True)
    findings = examine()
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = "ok     " if finding.works else "missing" if finding.is_needed else "without"
        console.print(f"{mark}  {finding.name:{width}}  {finding.detail}", markup=False)
    if all(finding.works for finding in findings if finding.is_needed):
        return 0
    console.print("Bots that are not trusted are refused here; `arena tournament --unsafe-trust-bots` runs them all the same.")
    return 1
