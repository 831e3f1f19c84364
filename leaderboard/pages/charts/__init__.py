"""Charts as SVG, one builder per file.

A builder takes numbers and returns coordinates as texts, or the SVG itself. Coordinates are written
in Python, because a template would write them in the reader's number format. Presentation
attributes and the classes of static/pages/pages.css draw them: the site's policy refuses inline
styles.
"""
