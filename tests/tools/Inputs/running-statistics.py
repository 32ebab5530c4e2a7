"""Inference with the weights of normalised.attn by its formula, from running statistics.

usage: running-statistics.py WEIGHTS.safetensors X.npy VALUES.npy STEPS

Each of the STEPS of training used 64 rows sampled from X. Ends with a message if the statistics differ from those of X by
more than sampling explains, or VALUES differ from the results for X.
"""
import array, json, math, struct, sys


def floats(data):
    return list(array.array("f", data))


def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    body = data[8 + size :]
    return {name: floats(body[slice(*entry["data_offsets"])]) for name, entry in header.items()}


def npy(path):
    data = open(path, "rb").read()
    return floats(data[10 + struct.unpack("<H", data[8:10])[0] :])


def expect(what, found, wanted, tolerance):
    if abs(found - wanted) > tolerance:
        sys.exit(f"{what} is {found}, expected {wanted}")


weights, x, values, steps = tensors(sys.argv[1]), npy(sys.argv[2]), npy(sys.argv[3]), int(sys.argv[4])
rows = len(values)
share = 1 - 0.9**steps  # weight of the batches in running statistics, which start at 0 and 1
for feature in range(3):
    column = x[feature::3]
    mean = sum(column) / rows
    variance = sum((value - mean) ** 2 for value in column) / (rows - 1)
    expect(f"mean {feature}", weights["input.running_mean"][feature], share * mean, 0.1)
    expect(f"variance {feature}", weights["input.running_var"][feature], share * variance + 1 - share, 0.1)
for row in range(rows):
    y = weights["head.bias"][0]
    for feature in range(3):
        normal = (x[3 * row + feature] - weights["input.running_mean"][feature]) / math.sqrt(
            weights["input.running_var"][feature] + 1e-5
        )
        normal = normal * weights["input.weight"][feature] + weights["input.bias"][feature]
        y += weights["head.weight"][feature] * normal
    expect(f"value {row}", values[row], y, 1e-5)
print("values by running statistics")
