"""Divides the tensors of a .safetensors file among shards in a new folder, and writes their index.

split-shards.py FILE FOLDER COUNT
"""
import json
import os
import struct
import sys

path, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(path, "rb") as file:
    data = file.read()
end = 8 + struct.unpack("<Q", data[:8])[0]
tensors = {name: each for name, each in json.loads(data[8:end]).items() if name != "__metadata__"}
os.makedirs(folder)
weight_map = {}
for number in range(count):
    shard = f"model-{number + 1:05}-of-{count:05}.safetensors"
    header, values = {"__metadata__": {"format": "pt"}}, b""
    for name in list(tensors)[number::count]:
        begin, stop = tensors[name]["data_offsets"]
        header[name] = tensors[name] | {"data_offsets": [len(values), len(values) + stop - begin]}
        values += data[end + begin : end + stop]
        weight_map[name] = shard
    text = json.dumps(header).encode()
    with open(f"{folder}/{shard}", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + values)
with open(f"{folder}/model.safetensors.index.json", "w") as file:
    json.dump({"metadata": {"total_size": len(data) - end}, "weight_map": weight_map}, file, indent=2)
