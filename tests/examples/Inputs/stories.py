"""Reads stories as text, and compares the targets of the three tasks with its own: stories.py WORDS FOLDER, with the
files spans.safetensors, chains.safetensors and summaries.safetensors."""
import math
import pathlib
import re
import sys

from tensors import read_tensors

WORDS = pathlib.Path(sys.argv[1]).read_text().split()


def rows(task):
    """The rows of a file, each a dictionary of lists of numbers."""
    tensors = {}
    for name, (shape, numbers) in read_tensors(pathlib.Path(sys.argv[2], f"{task}.safetensors")).items():
        each = math.prod(shape[1:])
        tensors[name] = [numbers[at:at + each] for at in range(0, len(numbers), each)]
    return [dict(zip(tensors, row)) for row in zip(*tensors.values())]


def text(numbers):
    return " ".join(WORDS[number] for number in numbers if number)


def facts(story):
    took = dict(re.findall(r"(\w+) took the ([\w ]+) \.", story))
    entered = dict(re.findall(r"(\w+) entered the ([\w ]+) \.", story))
    lies = dict(re.findall(r"the ([\w ]+) lies in (\w+) \.", story))
    assert took.keys() == entered.keys() and set(entered.values()) == lies.keys()
    assert story.count(".") == 3 * len(took) and len(set(lies.values())) == len(set(took.values())) == len(took)
    return took, entered, lies


def span(row):
    took, entered, lies = facts(text(row["document"]))
    asked = text(row["question"]).split()
    inside = {city: place for place, city in lies.items()}
    wanted = took[asked[2]] if asked[1] == "did" else entered[asked[2]] if asked[0] == "where" else inside[asked[3]]
    return text(row["document"][row["start"][0]:row["end"][0] + 1]) == wanted


def chain(row):
    took, entered, lies = facts(text(row["document"]))
    asked = [text(row["questions"][9 * q:9 * q + 9]) for q in range(6)]
    thing = re.fullmatch(r"who has the ([\w ]+) \?", asked[0]).group(1)
    person = next(person for person, object in took.items() if object == thing)
    place = entered[person]
    noun = place.split()[-1]
    assert asked[1:] == [f"where is {person} ?", f"which city is the {place} in ?", f"where is the {thing} ?",
                         f"which city is {person} in ?", f"which city is the {thing} in ?"]
    return text(row["answers"]) == " ".join((person, noun, lies[place], noun, lies[place], lies[place]))


def summary(row):
    lines = re.findall(r"(\w+) (took|entered) [\w ]*?(\w+) \.", text(row["document"]))
    verb = {"took": "has", "entered": "is in"}
    return text(row["summary"]) == " ".join(f"{name} {verb[did]} {noun} ." for name, did, noun in lines)


for task, is_right in (("spans", span), ("chains", chain), ("summaries", summary)):
    found = rows(task)
    print(f"{task}: {len(found)} rows, {sum(not is_right(row) for row in found)} wrong")
    for row in found[:int(sys.argv[3]) if len(sys.argv) > 3 else 0]:
        print({key: text(value) if len(value) > 1 else value for key, value in row.items()})
