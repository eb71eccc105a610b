# Writes escape sequences and strings without an end, each before a line that must be seen in the full screen's output pane.
import os
PARTS = [b"\x1b]0;title", b"\x1bPq#0", b"\x1b_Gf=32", b"\x1b^private", b"\x1bXstring", b"\x1b[38;5;", b"\x1b[" + b"1;" * 5000 + b"m", b"\x1b(", b"\xe2\x82",
         b"\x1b[?1049h", b"\x1b[5;6r", b"\x1b[?6h", b"\x1b[4h", b"\x0e", b"\x1b(0", b"\x1b[99999999C", b"\x1b[99999999B", b"\x1b[8m"]
for n, part in enumerate(PARTS):
    os.write(1, part + b" hidden perhaps\n\x1b[0mseen %d\n" % n)
os.write(1, b"\x1b]0;title without end\n\x18after CAN\n\x1b]0;title\x1aafter SUB\n\x1b]0;title\x1b[1mafter ESC\x1b[0m\n")
print("last line")
