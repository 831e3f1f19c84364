"""A visitor who opens pages and records what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from tests.browser.world import PASSWORD
from tests.helpers.chromium import PATIENCE_MS

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
WITHOUT_OUTLINE = """() => {
  const part = document.activeElement;
  if (!part || part === document.body) return "";
  const drawn = [part, ...part.querySelectorAll("*")].some((each) => {
    const style = getComputedStyle(each);
    return (style.outlineStyle !== "none" && style.outlineWidth !== "0px")
      || style.boxShadow !== "none" || style.strokeWidth === "3.5px"
      || style.textDecorationLine === "underline";
  });
  return drawn ? "" : part.outerHTML.slice(0, 200);
}"""
"""The focused part, unless it or something in it is drawn as focused."""
SQUEEZED = """() => {
  const small = "[type=checkbox], [type=radio], [type=hidden], .hidden, .select2-hidden-accessible";
  return [...document.querySelectorAll(`:is(input, select, textarea):not(${small})`)]
    .filter((field) => field.checkVisibility() && field.offsetWidth < 40)
    .map((field) => field.name || field.outerHTML);
}"""
"""The fields that are too narrow to read what they hold."""
UNSEEN = """() => [...document.querySelectorAll("nav [aria-current]")]
  .filter((link) => link.checkVisibility())
  .filter((link) => link.getBoundingClientRect().right > innerWidth + 1)
  .map((link) => link.textContent)"""
"""The links to the present page, such as its tab, that are beside the window."""
FADED = """async () => {
  for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
  await Promise.allSettled(document.getAnimations().map((each) => each.finished));
}"""
"""Waits until the admin has faded from one colour to the other."""


AXE = Axe().axe_script
RUN_AXE = "async (options) => (await axe.run(options)).violations"
ONLY_VIOLATIONS = {"resultTypes": ["violations"]}
"""Otherwise axe also describes each element that passes, which takes longer than its rules."""


class Visitor:
    """One browser window. `complaints` collects everything that should not happen:

    errors on the console (including CSP violations), errors in scripts, requests to any other host,
    failures of axe, pages that are wider than the window.
    """

    def __init__(
        self,
        browser: Browser,
        home: str,
        *,
        scheme: Literal["light", "dark"] = "light",
        phone: bool = False,
        javascript: bool = True,
    ) -> None:
        self.home = home
        self.complaints: list[str] = []
        self.context = browser.new_context(
            viewport=PHONE if phone else WIDE,  # type: ignore[arg-type]
            color_scheme=scheme,
            java_script_enabled=javascript,
            base_url=home,
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        self.page.on("request", self._request)

    def open(self, path: str) -> None:
        response = self.page.goto(path)
        assert response is not None
        if not response.ok:
            self.complaints.append(f"{path}: {response.status}")

    def sign_in(self, name: str = "ben") -> None:
        self.open("/sign-in/")
        self.page.get_by_label("Username").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text(name)

    def look(self) -> None:
        """Record what is wrong with the page in its current state."""
        where = self.page.url.removeprefix(self.home)
        for violation in self._violations({}):
            targets = [node["target"] for node in violation["nodes"][:3]]
            self.complaints.append(f"axe {violation['id']} on {where}: {targets}")
        self.measure()

    def look_in_dark(self) -> None:
        """Record what is hard to read in the dark theme, which changes nothing but colours."""
        self.page.emulate_media(color_scheme="dark")
        self.page.evaluate(FADED)
        only = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
        for violation in self._violations(only):
            targets = [node["target"] for node in violation["nodes"][:3]]
            self.complaints.append(f"axe in the dark on {self.page.url}: {targets}")
        self.page.emulate_media(color_scheme="light")

    def focus_all(self, steps: int) -> None:
        """Record parts without a visible outline while the focus moves through the page."""
        for _ in range(steps):
            self.page.keyboard.press("Tab")
            missing = self.page.evaluate(WITHOUT_OUTLINE)
            if missing:
                self.complaints.append(f"no focus is seen on {self.page.url}: {missing}")

    def measure(self) -> None:
        """Record it if the page is wider than the window, squeezes a field, or hides its tab."""
        width, more = self.page.evaluate(
            "[innerWidth, document.documentElement.scrollWidth - innerWidth]"
        )
        if more > 0:
            wide = f"{more} pixels too wide for a window of {width}"
            self.complaints.append(f"{self.page.url} is {wide}")
        if squeezed := self.page.evaluate(SQUEEZED):
            self.complaints.append(f"{self.page.url} squeezes {squeezed}")
        if unseen := self.page.evaluate(UNSEEN):
            self.complaints.append(f"{self.page.url} is at {unseen}, which are beside the window")

    def close(self) -> None:
        self.context.close()

    def _violations(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        """Let axe read the page, with its own script only if the page does not have it yet."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE)
        violations: list[dict[str, Any]] = self.page.evaluate(RUN_AXE, ONLY_VIOLATIONS | options)
        return violations

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console on {self.page.url}: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.home, "data:")):
            self.complaints.append(f"request to {request.url}")


OpenVisitor = Callable[..., Visitor]
