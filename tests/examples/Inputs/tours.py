"""Compares tours with the shortest of all permutations: tours.py FILE.safetensors, with points x and orders targets."""
import itertools
import math
import sys

from tensors import read_tensors

tensors = read_tensors(sys.argv[1])
(rows, count, _), places = tensors["x"]
_, orders = tensors["targets"]
wrong = 0
for row in range(rows):
    points = [places[2 * i:2 * i + 2] for i in range(row * count, (row + 1) * count)]
    order = orders[row * count:(row + 1) * count]
    length_of = lambda tour: sum(math.dist(points[a], points[b]) for a, b in zip(tour, tour[1:] + tour[:1]))
    shortest = min(length_of((0, *rest)) for rest in itertools.permutations(range(1, count)))
    is_tour = sorted(order) == list(range(count)) and order[0] == 0 and order[1] < order[-1]
    wrong += not (is_tour and length_of(order) < shortest + 1e-5)
print(f"{rows} rows: {wrong} wrong")
