"""Prints width and height of a picture in a report: report-picture.py REPORT NAME."""
import base64
import re
import struct
import sys

page = open(sys.argv[1]).read()
png = base64.b64decode(re.search(f'<img alt="{sys.argv[2]}" src="data:image/png;base64,([^"]*)"', page).group(1))
print(*struct.unpack(">II", png[16:24]))
