"""Reads .safetensors of f32 and i32."""
import json
import pathlib
import struct

CODES = {"F32": "f", "I32": "i"}


def read_tensors(path):
    """The tensors of a file by name: the shape, and the elements in row-major order."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, about in header.items():
        if name != "__metadata__":
            begin, end = about["data_offsets"]
            code = f"<{(end - begin) // 4}{CODES[about['dtype']]}"
            tensors[name] = about["shape"], struct.unpack(code, data[8 + length + begin:8 + length + end])
    return tensors
