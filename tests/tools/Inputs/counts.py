"""Prints the counts of steps in a checkpoint, by name: those above 0."""
import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<q", file.read(8))[0]))
    tensors = file.read()
for name, tensor in sorted(header.items()):
    if name.endswith(".count"):
        count = struct.unpack_from("<i", tensors, tensor["data_offsets"][0])[0]
        if count > 0:
            print(name, count)
