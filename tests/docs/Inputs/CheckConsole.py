"""Runs the commands of a page and compares their exact output: CheckConsole.py PAGE INPUTS

A block ```console contains commands after `$ `, each with its output (both streams) below it. The commands run in order
in the current directory, to which the files of INPUTS are copied.
"""
import re
import shutil
import subprocess
import sys


def commands(page):
    for block in re.findall(r"^```console\n(.*?)^```$", page, flags=re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, expected = part.partition("\n")
            yield command, expected


def main():
    page, inputs = sys.argv[1:]
    shutil.copytree(inputs, ".", dirs_exist_ok=True)
    count, wrong = 0, 0
    for command, expected in commands(open(page, encoding="utf-8").read()):
        done = subprocess.run(command, shell=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        count += 1
        if done.stdout != expected:
            wrong += 1
            print(f"$ {command}\n--- output in the page\n{expected}--- actual output\n{done.stdout}")
    print(f"{count} commands, {wrong} with different output")
    sys.exit(1 if wrong or count < 10 else 0)


main()
