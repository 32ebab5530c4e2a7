# Exits with 1 if two files of weights differ except in their record of the object that wrote them.
import json
import struct
import sys


def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return header, data[8 + size :]


sys.exit(tensors(sys.argv[1]) != tensors(sys.argv[2]))
