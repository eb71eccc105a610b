# A title sequence is begun and never ended: what is written after it is seen, and a CAN ends the sequence.
import sys

out = sys.stdout
out.write("one\n\x1b]2;no end of this title\ntwo\n")
out.write("\x1b[1mthree\x1b[0m\n\x1bPdevice string\n\x18four\n")
out.write("five\n")
out.flush()
