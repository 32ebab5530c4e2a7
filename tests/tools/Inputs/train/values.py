"""Compares the tensors of two .safetensors files whose names begin with a text; or writes a file of several types, and
the f32 tensors that a training reads from it.

values.py PREFIX FILE FILE | values.py --write TYPED EXPECTED
"""
import json
import struct
import sys


def read(path, prefix):
    data = open(path, "rb").read()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:end])
    return {
        name: data[end + each["data_offsets"][0] : end + each["data_offsets"][1]]
        for name, each in header.items()
        if name.startswith(prefix)
    }


def write(path, tensors):
    header, values = {}, b""
    for name, dtype, shape, data in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(values), len(values) + len(data)]}
        values += data
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + values)


if sys.argv[1] == "--write":
    bias, weight = (1.5, -2), (1, 2, 3, 4, 5, 6)
    typed = [
        ("head.bias", "F64", [2], struct.pack("<2d", *bias)),
        ("head.weight", "F16", [2, 3], struct.pack("<6e", *weight)),
        ("blocks.0.bias", "I64", [3], struct.pack("<3q", 1, 2, 3)),
    ]
    expected = [
        ("head.bias", "F32", [2], struct.pack("<2f", *bias)),
        ("head.weight", "F32", [2, 3], struct.pack("<6f", *weight)),
    ]
    write(sys.argv[2], typed)
    write(sys.argv[3], expected)
    sys.exit()
a, b = (read(path, sys.argv[1]) for path in sys.argv[2:])
sys.exit(not a or a != b)
