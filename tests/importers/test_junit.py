"""JUnit XML. The fixture is a report of pytest 9.2 with other host names and paths."""

from leaderboard.importers import Source
from leaderboard.importers.formats.junit import IMPORTER
from leaderboard.importers.reading.sample_row import SampleRow
from tests.importers.uploads import FIXTURES, assert_refused, imported, only_attempt, refusal

Cases = list[SampleRow]

SUITE = '<testsuite name="s" tests="1">{}</testsuite>'


def report(inside: str, suite: str = "<testsuite>{}</testsuite>") -> bytes:
    return suite.format(inside).encode()


def cases(inside: str) -> Cases:
    return list(only_attempt(report(inside), participant="atlas").samples)


def test_a_real_report_is_read() -> None:
    contents = imported(FIXTURES / "junit.xml")
    (attempt,) = contents.attempts
    assert contents.warnings == []
    assert attempt.participant == "terminus (large-1)"
    assert attempt.meta == {"model": "large-1", "agent": "terminus", "harness": "JUnit XML"}
    assert {sample["task"]: sample["rewards"] for sample in attempt.samples} == {
        "test_bench.test_good": {"passed": 1.0},
        "test_bench.test_bad": {"passed": 0.0},
        "test_bench.test_skipped": {},
        "test_bench.test_error": None,
        "test_bench.test_many[1]": {"passed": 1.0},
        "test_bench.test_many[2]": {"passed": 1.0},
        "test_bench.test_known": {},
    }
    assert attempt.samples[3]["error"] == 'failed on setup with "RuntimeError: no such server'
    assert attempt.file_metrics == {"mean:passed": 0.6}
    assert set(attempt.specs) == {"mean:passed"}
    assert attempt.submitted_at is not None


def test_suites_may_stand_alone_and_within_suites() -> None:
    inner = '<testsuite name="inner" tests="1"><testcase name="a"/></testsuite>'
    outer = '<testsuite name="outer" tests="2">{}<testcase name="b"/></testsuite>'
    attempt = only_attempt(report(inner, outer), participant="atlas")
    assert [sample["task"] for sample in attempt.samples] == ["inner.a", "inner.b"]
    assert attempt.file_metrics == {"mean:passed": 1.0}


def test_counts_that_disagree_give_a_warning() -> None:
    contents = imported(
        report("", SUITE.replace("{}", "<testcase name='a'/><testcase name='b'/>{}")),
        participant="a",
    )
    assert "1 test cases; 2" in contents.warnings[0]
    assert contents.attempts[0].file_metrics == {}


def test_a_failure_is_a_zero_without_its_message() -> None:
    (case,) = cases('<testcase name="a" time="1,234.5"><failure message="secret"/></testcase>')
    assert case["rewards"] == {"passed": 0.0}
    assert case["error"] == ""
    assert case["usage"] == {"elapsed_ms": 1_234_500}


def test_times_may_have_a_decimal_comma() -> None:
    for times, milliseconds in (
        (["0,160", "0,004", "1,120"], [160, 4, 1120]),
        (["1,12", "1,120"], [1120, 1120]),
        (["1.234,5", "12,000"], [1_234_500, 12_000]),
        (["1,234.5", "12,000"], [1_234_500, 12_000_000]),
        (["0.5", "1,120"], [500, 1_120_000]),
        (["1,234,567", "1,120"], [1_234_567_000, 1_120_000]),
        (["1,120", "", "7"], [1120, None, 7000]),
    ):
        samples = cases("".join(f'<testcase name="a" time="{time}"/>' for time in times))
        assert [sample["usage"].get("elapsed_ms") for sample in samples] == milliseconds, times
    (warning,) = imported(report('<testcase name="a" time="1,120"/>'), participant="m").warnings
    assert warning == "time: 1,120 is read as 1.120 seconds"


def test_an_error_takes_precedence_over_a_failure_or_a_skip() -> None:
    (case,) = cases(
        '<testcase name="a"><error type="E" message="m"/><failure/><skipped/></testcase>'
    )
    assert case["rewards"] is None
    assert case["error"] == "E: m"


def test_a_case_that_was_not_run_is_undefined() -> None:
    for attribute in ('status="notrun"', 'result="suppressed"'):
        (case,) = cases(f'<testcase name="a" {attribute}/>')
        assert case["rewards"] == {}, attribute


def test_reruns_of_surefire_do_not_count() -> None:
    (case,) = cases('<testcase name="a"><flakyFailure message="m"/></testcase>')
    assert case["rewards"] == {"passed": 1.0}


def test_a_repeated_case_has_two_samples() -> None:
    samples = cases('<testcase name="a"/><testcase name="a"><failure/></testcase>')
    assert [(sample["task"], sample["sample"]) for sample in samples] == [("a", 0), ("a", 1)]


def test_an_invalid_name_of_a_task_gets_a_digest() -> None:
    first, second = cases(f'<testcase name="{"x" * 300}"/><testcase name="a&#10;b"/>')
    assert len(first["task"]) <= 255
    assert second["task"].startswith("a b ")


def test_several_reports_become_one_attempt() -> None:
    files = {
        f"reports/TEST-{name}.xml": report(f'<testcase classname="{name}" name="t"/>')
        for name in ("A", "B")
    }
    attempt = only_attempt(files, participant="atlas")
    assert [sample["task"] for sample in attempt.samples] == ["A.t", "B.t"]


def test_a_report_needs_a_participant() -> None:
    assert "given with the upload" in refusal(report('<testcase name="a"/>'))


def test_latin_1_is_read() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><testsuite><testcase name="é"/></testsuite>'
    attempt = only_attempt(text.encode("latin-1"), participant="atlas")
    assert attempt.samples[0]["task"] == "é"


BOMB = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10 if at else "ha"}">' for at in range(10))


def test_a_doctype_is_refused() -> None:
    for doctype in (
        f"<!DOCTYPE testsuite [{BOMB}]>",
        '<!DOCTYPE testsuite [<!ENTITY e9 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE testsuite SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE testsuite [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
        "<!DOCTYPE testsuite>",
    ):
        upload = f'<?xml version="1.0"?>\n{doctype}<testsuite><testcase name="&e9;"/></testsuite>'
        assert_refused(upload.encode(), "report.xml, line 2: DOCTYPE", "report.xml", format="junit")


def test_an_entity_without_a_doctype_is_refused() -> None:
    assert_refused(report('<testcase name="&nbsp;"/>'), "line 1: undefined entity", format="junit")


def test_errors_name_a_wrong_report() -> None:
    cases: list[tuple[bytes, str]] = [
        (report('\n<testcase name="a" time="soon"/>'), "line 2: got 'soon'"),
        (report("\n\n<testcase/>"), "line 3: a name"),
        (
            report('<testcase name="a"><testcase name="b"/></testcase>'),
            "line 1: a test case within",
        ),
        (b'<testsuite tests="many"/>', "line 1: tests must be a whole number"),
        (b'<testsuite timestamp="yesterday"/>', "line 1, timestamp: a time"),
        (b"<testsuite>\n<testcase name='a'></testsuite>", "line 2: mismatched tag"),
        (b"<html/>", "line 1: testsuite; got 'html'"),
        (b"<testsuite>" * 40, "line 1: at most 32 levels"),
        (b"<?xml version='1.0' encoding='klingon'?><testsuite/>", "line 1: "),
        (b"<testsuite/>", "report.xml: a test case"),
        (b"", "line 1: no element found"),
    ]
    for upload, message in cases:
        assert_refused(upload, message, "report.xml", format="junit", participant="atlas")


def test_comments_before_the_suites_are_skipped() -> None:
    comments = "<!-- a -->\n" * 3
    upload = f"<?xml version='1.0'?>{comments}<testsuite><testcase name='a'/></testsuite>"
    assert imported(upload.encode(), participant="atlas").format == "junit"


def test_an_endless_beginning_is_not_recognised() -> None:
    """With a search of quadratic time this test would take hours."""
    for start in ("<!---->", "<!--", "<?xml ", " "):
        with Source.open((start * 100_000).encode()) as source:
            assert not IMPORTER.recognises(source), start


def test_other_xml_is_not_recognised() -> None:
    assert "known format" in refusal(b"<html><testsuite/></html>", "page.xml")
