"""Checks the HTML of a page: its syntax, by the parser of the standard, and what may contain what.

It knows the rules that our templates can break; the Nu Html Checker knows all (`VNU_JAR`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib

_PHRASING = (
    "a abbr b bdi bdo br button canvas cite code data datalist del dfn em i img input ins kbd "
    "label map mark math meter noscript object output progress q ruby s samp script select small "
    "span strong sub sup svg textarea time u var wbr"
)
PHRASING = frozenset(_PHRASING.split())
"""Elements that may be within a line of text."""
_ONLY_PHRASING = (
    "abbr b bdi button cite code data em h1 h2 h3 h4 h5 h6 i kbd label legend mark output p pre s "
    "samp small span strong sub sup time u var"
)
ONLY_PHRASING = frozenset(_ONLY_PHRASING.split())
INTERACTIVE = frozenset({"a", "button", "details", "input", "label", "select", "textarea"})
CHILDREN = {
    "ul": {"li", "script", "template"},
    "ol": {"li", "script", "template"},
    "dl": {"div", "dt", "dd", "script", "template"},
    "select": {"option", "optgroup", "hr"},
    "tr": {"td", "th"},
    "thead": {"tr"},
    "tbody": {"tr"},
    "tfoot": {"tr"},
}
REFERENCES = ("aria-controls", "aria-describedby", "aria-labelledby", "for", "form", "headers")
"""Attributes with ids of other elements."""
CONTROLS = frozenset({"input", "select", "textarea"})
LABELABLE = CONTROLS | {"button", "meter", "output", "progress"}
NAMELESS = frozenset({"hidden", "submit", "button", "reset", "image"})
MOMENT = re.compile(
    r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:?\d\d)?)?)?|\d\d:\d\d|"
    r"P(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d{1,3})?S)?)?"
)


def mistakes(html: str) -> list[str]:
    """Everything that is wrong with a page, in the order of its elements."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(html)
    problems = [f"syntax: {code} {values or ''}".strip() for _, code, values in parser.errors]
    parents = {child: parent for parent in root.iter() for child in parent}
    for element in root.iter():
        if isinstance(element.tag, str) and not element.tag.startswith("{"):
            problems += _of_element(element, parents)
    return [*problems, *_of_page(root, parents)]


def _of_element(element: Element, parents: dict[Element, Element]) -> Iterator[str]:
    where = f"<{element.tag}{''.join(f' {n}={v[:40]!r}' for n, v in [*element.items()][:3])}>"
    outer = parents.get(element)
    if outer is not None:
        yield from (f"{where} {mistake}" for mistake in _of_place(element, str(outer.tag)))
    if element.tag in INTERACTIVE and element.get("type") != "hidden":
        yield from (
            f"{where} in <{outer_tag}>" for outer_tag in _interactive_around(element, parents)
        )
    yield from (f"{where} {mistake}" for mistake in _of_contents(element))


def _of_place(element: Element, outer: str) -> Iterator[str]:
    """What is wrong with an element in another one."""
    tag = str(element.tag)
    if tag not in CHILDREN.get(outer, {tag}) or (outer in ONLY_PHRASING and tag not in PHRASING):
        yield f"in <{outer}>"
    if tag in ("dt", "dd") and outer not in ("dl", "div"):
        yield f"in <{outer}>"
    if tag == "div" and outer == "dl" and not {"dt", "dd"} <= {child.tag for child in element}:
        yield "in <dl> without dt and dd"


def _of_contents(element: Element) -> Iterator[str]:
    """What an element itself lacks."""
    if element.tag == "details":
        first = next(iter(element), None)
        if first is None or first.tag != "summary":
            yield "without summary"
    for tag, name in (("img", "alt"), ("data", "value")):
        if element.tag == tag and element.get(name) is None:
            yield f"without {name}"
    if element.tag == "time":
        moment = element.get("datetime") or "".join(element.itertext()).strip()
        if not MOMENT.fullmatch(moment):
            yield f"is no moment: {moment}"


def _interactive_around(element: Element, parents: dict[Element, Element]) -> Iterator[str]:
    """The links, buttons and labels that contain an element, which may not contain it."""
    outer = parents.get(element)
    while outer is not None:
        is_label = outer.tag == "label" and element.tag in CONTROLS
        if outer.tag in ("a", "button", "label") and not is_label:
            yield str(outer.tag)
        outer = parents.get(outer)


def _of_page(root: Element, parents: dict[Element, Element]) -> Iterator[str]:
    """What concerns the whole page: ids, references to them, names of controls, its head."""
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    ids = Counter(element.attrib["id"] for element in elements if "id" in element.attrib)
    yield from (f"id {name!r} {count} times" for name, count in ids.items() if count > 1)
    yield from (f"id {name!r} with a space" for name in ids if not name or " " in name)
    for element in elements:
        for name in REFERENCES:
            wanted = set((element.get(name) or "").split())
            yield from (
                f"{name}={reference!r} names no element" for reference in wanted - ids.keys()
            )
    yield from _of_controls(elements, parents)
    if not (root.get("lang") or "").strip():
        yield "no language"
    if not (root.findtext("head/title") or "").strip():
        yield "no title"
    if sum(element.tag == "main" for element in elements) > 1:
        yield "several <main>"


def _of_controls(elements: list[Element], parents: dict[Element, Element]) -> Iterator[str]:
    """Controls without labels, and labels of what is no control."""
    labelled = {node.attrib.get("for") for node in elements if node.tag == "label"} - {None}
    for element in elements:
        is_shown = element.get("type") != "hidden"
        if element.get("id") in labelled and not (is_shown and element.tag in LABELABLE):
            yield f"<label for={element.get('id')!r}> of <{element.tag}>"
        if element.tag in CONTROLS and element.get("type") not in NAMELESS:
            is_named = any(element.get(name) for name in ("aria-label", "aria-labelledby", "title"))
            is_labelled = element.get("id") in labelled or _is_within(element, "label", parents)
            if not is_named and not is_labelled:
                yield f"<{element.tag} name={element.get('name')!r}> without a label"


def _is_within(element: Element, tag: str, parents: dict[Element, Element]) -> bool:
    outer = parents.get(element)
    while outer is not None and outer.tag != tag:
        outer = parents.get(outer)
    return outer is not None
