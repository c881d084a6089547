"""Sphinx's settings for the site. Sphinx's search needs no server and works offline, from file://."""

from importlib.metadata import version as version_of

project = "tournament"
version = release = version_of("tournament")
extensions = ["myst_parser"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "tournament"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_extra_path = ["llms.txt"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
suppress_warnings = ["misc.highlighting_failure"]
smartquotes = False  # values in tables are to be copied
