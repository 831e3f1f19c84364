"""Markdown of organisers is rendered as harmless HTML."""

from __future__ import annotations

from leaderboard.pages.shared.markdown import to_html


def test_markdown_is_rendered_as_harmless_html() -> None:
    link = '<a href="https://example.org" rel="nofollow noopener noreferrer">a</a>'
    for text, html in (
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>"),
        ("# A\n###### B", "<h3>A</h3>\n<h6>B</h6>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"),
        ("[a](javascript:alert)", "<p>[a](javascript:alert)</p>"),
        ("![pixel](https://example.org/p.png)", "<p></p>"),
        ("[a](https://example.org)", f"<p>{link}</p>"),
        ("", ""),
    ):
        assert to_html(text).strip() == html, text
    assert "<td>1</td>" in to_html("| a |\n|---|\n| 1 |")
