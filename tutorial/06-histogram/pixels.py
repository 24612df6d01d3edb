"""Shrinks a grey picture to width x height pixels: python pixels.py in=moon.pgm out=pixels.raw width=8 height=8"""

import re
import sys

import numpy as np

words = dict(word.split("=", 1) for word in sys.argv[1:])
width, height = int(words["width"]), int(words["height"])
data = open(words["in"], "rb").read()
header = re.match(rb"P5\s+(?:#.*\s+)*(\d+)\s+(\d+)\s+(\d+)\s", data)
if not header or int(header[3]) > 255:
    sys.exit(f"{words['in']} is no PGM picture of the kind P5 with 8 bits a pixel")
columns, rows = int(header[1]), int(header[2])
if columns < width or rows < height:
    sys.exit(f"{words['in']} has {columns} x {rows} pixels, and {width} x {height} are wanted")
pixels = np.frombuffer(data, np.uint8, columns * rows, header.end()).reshape(rows, columns)
pixels[:: rows // height, :: columns // width][:height, :width].astype("<i2").tofile(words["out"])
