# SPDX-License-Identifier: BSD-3-Clause
"""What the opcodes of the Python that runs this are called and what their arguments mean, as C (Lib/opcode.py knows)."""
import opcode

KINDS = [("ARG_CONST", "hasconst"), ("ARG_NAME", "hasname"), ("ARG_LOCAL", "haslocal"), ("ARG_LOCAL", "hasfree"),
         ("ARG_JUMP", "hasjrel"), ("ARG_JUMP", "hasjabs"), ("ARG_COMPARE", "hascompare")]


def quoted(names):
    return ", ".join('"%s"' % n for n in names)


print("/* Made by build-aux/mkopcodes.py. */")
print("static const struct opcode_fact opcode_list[256] = {")
for op, name in enumerate(opcode.opname[:256]):
    if name.startswith("<"):
        continue
    kind = next((k for k, has in KINDS if op in getattr(opcode, has)), "ARG_NUMBER")
    print('\t[%d] = { "%s", %s },' % (op, name, kind))
print("};")
print("static const char *const opcode_compare[] = { %s };" % quoted(opcode.cmp_op))
print("static const char *const opcode_binary[] = { %s };" % quoted(symbol for _, symbol in opcode._nb_ops))
