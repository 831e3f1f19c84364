"""The table of docs/reliability.md gets the figures of a run."""

from tests.faults.page import PAGE, faults_of, with_figures


def test_figures_of_a_run_are_written_into_their_rows() -> None:
    page = PAGE.read_text()
    records = [{"fault": "Redis away", "attempts": 86, "seconds": 9.6, "seed": 1}]
    filled = with_figures(page, records)
    assert "| Redis away | killed, and started again after some seconds | 86 | 9.6 s |\n" in filled
    assert faults_of(filled) == faults_of(page)
    assert filled.count("\n") == page.count("\n")
