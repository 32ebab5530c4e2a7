"""Compares an average precision at an intersection over union of 0.5, the last word of a text, with that of a program:
detections.py SCENES FOUND TEXT.

Detections of a kind are sorted by confidence. Each is compared with the objects of its scene and kind one after the
other (Everingham et al. 2015); the precision at a recall is the largest one at this recall or a higher one.
"""
import json
import math
import struct
import sys


def load(path, name):
    """A tensor of a .safetensors file as rows of its last dimension, and the size of its first one."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        entry = json.loads(file.read(size))[name]
        begin, end = entry["data_offsets"]
        file.seek(8 + size + begin)
        values = struct.unpack(f"<{(end - begin) // 4}{'f' if entry['dtype'] == 'F32' else 'i'}", file.read(end - begin))
    width = entry["shape"][-1]
    return [values[i : i + width] for i in range(0, len(values), width)], entry["shape"][0]


def iou(a, b):
    (ax, ay, aw, ah), (bx, by, bw, bh) = a, b
    across = min(ax + aw / 2, bx + bw / 2) - max(ax - aw / 2, bx - bw / 2)
    down = min(ay + ah / 2, by + bh / 2) - max(ay - ah / 2, by - bh / 2)
    both = max(across, 0) * max(down, 0)
    return both / (aw * ah + bw * bh - both)


kinds, scenes = load(sys.argv[1], "kind")
boxes, _ = load(sys.argv[1], "box")
logits, _ = load(sys.argv[2], "logits")
found, _ = load(sys.argv[2], "box")
queries = len(found) // scenes

detections = [[] for _ in range(4)]
for d, row in enumerate(logits):
    total = sum(math.exp(x - max(row)) for x in row)
    p = [math.exp(x - max(row)) / total for x in row[1:]]
    detections[p.index(max(p))].append((max(p), d))

mean = 0
for kind in range(4):
    taken, precisions, right = set(), [], []
    for n, (confidence, d) in enumerate(sorted(detections[kind], key=lambda pair: -pair[0])):
        scene = d // queries
        pairs = [(iou(boxes[4 * scene + i], found[d]), 4 * scene + i) for i in range(4) if kinds[scene][i] == kind]
        overlap, nearest = max(pairs, default=(0, 0))
        right.append(overlap >= 0.5 and nearest not in taken)
        if right[-1]:
            taken.add(nearest)
        precisions.append(sum(right) / (n + 1))
    for n in reversed(range(len(precisions) - 1)):
        precisions[n] = max(precisions[n], precisions[n + 1])
    wanted = sum(row.count(kind) for row in kinds)
    mean += sum(p for p, r in zip(precisions, right) if r) / wanted / 4
reported = float(open(sys.argv[3]).read().split()[-1])
print("equal" if abs(mean - reported) < 1e-4 else f"average precision {mean}, not {reported}")
