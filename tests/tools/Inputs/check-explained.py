"""Checks the launches and edges of an explanation: check-explained.py JSON."""
import json
import sys

model = json.load(open(sys.argv[1], encoding="utf-8"))
kernels = {kernel["name"] for kernel in model["kernels"]}
sizes = {each["name"]: each["size"] for each in model["entries"][0]["sizes"]}
assert sizes == {"batch": 2, "seq": 5, "workers": 1}, sizes
for entry in model["entries"]:
    launches, edges = entry["launches"], entry["edges"]
    assert {launch["kernel"] for launch in launches} <= kernels
    assert [launch["step"] for launch in launches] == sorted(launch["step"] for launch in launches)
    # Launches in iterations of the scan, and outside of the scan.
    assert {launch["times"] for launch in launches} == {1, sizes["seq"]}, entry["name"]
    for kernel in entry["kernels"]:
        own = [launch for launch in launches if launch["kernel"] == kernel["kernel"]]
        assert kernel["launches"] == sum(launch["times"] for launch in own)
        assert kernel["flops"] == sum(launch["times"] * launch["flops"] for launch in own)
        assert kernel["intensity"] == kernel["flops"] / max(1, kernel["bytes_read"] + kernel["bytes_written"])
    # A value is read after its launch or in the next iteration; a value that no launch writes has a name.
    for edge in edges:
        if "from" in edge and "to" in edge:
            assert edge["carried"] or edge["from"] < edge["to"], edge
        else:
            assert edge["name"], edge
    assert any(edge["carried"] for edge in edges), entry["name"]
    inputs = {edge["name"] for edge in edges if "from" not in edge}
    assert {"x", "length", "states.ahead.cell.of_h.weight"} <= inputs, inputs
    # Values that live at the same time do not overlap.
    for step in range(len(entry["steps"])):
        live = [each for each in entry["arena"] if any(s["first"] <= step <= s["last"] for s in each["live"])]
        live.sort(key=lambda each: each["offset"])
        for before, behind in zip(live, live[1:]):
            assert before["offset"] + before["bytes"] <= behind["offset"] or not before["bytes"], (step, before, behind)
        assert all(each["offset"] + each["bytes"] <= entry["arena_bytes"] for each in live)
