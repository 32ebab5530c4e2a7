"""Compares what is wanted in drawn texts with what follows from them: tasks.py RECALL.safetensors BRACKETS.safetensors."""
import sys

from tensors import read_tensors

TYPES = 24


def rows(path):
    """For each text, the triples of a symbol, the shown value, and the wanted symbol of its time steps."""
    tensors = read_tensors(path)

    def tensor(name):
        (_, width), numbers = tensors[name]
        return [numbers[i:i + width] for i in range(0, len(numbers), width)]

    return [list(zip(*row)) for row in zip(tensor("text"), tensor("shown"), tensor("wanted"))]


def recalled(row):
    """What is wanted: for a key without a value, the value that was shown with it."""
    values, wanted = {}, []
    for symbol, shown, _ in row:
        if shown:
            if symbol in values:
                return None
            values[symbol] = shown
        wanted.append(values[symbol] if symbol and not shown else 0)
    return wanted


def closed(row):
    """What is wanted: the next symbol if it closes a bracket, which has to be the last open one."""
    open_brackets, wanted = [], []
    for symbol, _, _ in row:
        if 0 < symbol <= TYPES:
            open_brackets.append(symbol)
        elif symbol and symbol != open_brackets.pop() + TYPES:
            return None
    if open_brackets:
        return None
    following = [symbol for symbol, _, _ in row[1:]] + [0]
    return [symbol if symbol > TYPES else 0 for symbol in following]


def main(recall, brackets):
    for name, path, rule in ("recall", recall, recalled), ("brackets", brackets, closed):
        texts = rows(path)
        wrong = sum(rule(row) != [wanted for _, _, wanted in row] for row in texts)
        print(f"{name}: {len(texts)} texts, {wrong} wrong")


main(*sys.argv[1:])
