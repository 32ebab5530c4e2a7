"""Checks the page of a model: check-page.py PAGE OPENED JSON, where OPENED is the page after a browser has loaded it."""
import html.parser
import json
import os
import sys


class Page(html.parser.HTMLParser):
    """Names of drawings and of their elements, ids and links."""

    def __init__(self):
        super().__init__()
        self.drawings, self.inside, self.ids, self.links, self.sources = [], {}, set(), [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "svg":
            self.drawings.append(attributes["aria-label"])
        elif tag == "g" and attributes.get("aria-label"):
            self.inside.setdefault(self.drawings[-1], []).append(attributes["aria-label"])
        elif tag == "g" and "box" in attributes.get("class", ""):
            self.inside.setdefault(self.drawings[-1], []).append("box")
        self.ids.add(attributes.get("id"))
        self.links += [attributes["href"]] if "href" in attributes else []
        self.sources += [attributes["src"]] if "src" in attributes else []


assert os.path.getsize(sys.argv[1]) <= 2_000_000
model = json.load(open(sys.argv[3], encoding="utf-8"))
page = Page()
page.feed(open(sys.argv[2], encoding="utf-8").read())
assert not page.sources and all(link.startswith("#") for link in page.links), "something is fetched"
assert {link[1:] for link in page.links} <= page.ids, "a link leads nowhere"
for entry in model["entries"]:
    boxes = page.inside["launches of " + entry["name"]]
    launched = [launch["kernel"] for launch in entry["launches"]]
    assert [box for box in boxes if box in set(launched)] == launched, boxes
    spans = sum(len(storage["live"]) for storage in entry["arena"])
    assert page.inside[f"arena of {entry['name']} over its steps"].count("box") == spans
    for launch in entry["launches"]:
        if "mask" in launch:
            assert any(name.startswith(launch["kernel"] + ": ") for name in page.drawings), page.drawings
