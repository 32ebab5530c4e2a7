# changed.py A B: the names of the tensors that differ in two files of weights.
import json
import struct
import sys


def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {name: data[8 + size :][slice(*info["data_offsets"])] for name, info in header.items()}


a, b = map(tensors, sys.argv[1:])
print(*sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name)))
