# SPDX-License-Identifier: BSD-3-Clause
"""What the opcodes of the Python that runs this are called and what their arguments mean, as C (Lib/opcode.py knows)."""
import opcode
import sys

KINDS = [("ARG_CONST", "hasconst"), ("ARG_NAME", "hasname"), ("ARG_LOCAL", "haslocal"), ("ARG_LOCAL", "hasfree"),
         ("ARG_JUMP", "hasjrel"), ("ARG_JUMP", "hasjabs"), ("ARG_COMPARE", "hascompare")]

# Arguments that count words, as dis writes them.
WORDS = {
    "BINARY_OP": [symbol for _, symbol in opcode._nb_ops],
    "CALL_INTRINSIC_1": getattr(opcode, "_intrinsic_1_descs", []),
    "CALL_INTRINSIC_2": getattr(opcode, "_intrinsic_2_descs", []),
    "CONVERT_VALUE": ["", "str", "repr", "ascii"],
    "LOAD_COMMON_CONSTANT": [c.__name__ if isinstance(c, type) else repr(c)
                             for c in getattr(opcode, "_common_constants", [])],
    "LOAD_SPECIAL": getattr(opcode, "_special_method_names", []),
}
if sys.version_info >= (3, 14):
    WORDS.update(IS_OP=["is", "is not"], CONTAINS_OP=["in", "not in"])


def quoted(names):
    return ", ".join('"%s"' % n for n in names)


print("/* Made by build-aux/mkopcodes.py. */")
names = [(op, name) for op, name in enumerate(opcode.opname[:256]) if not name.startswith("<")]
for op, name in names:
    if WORDS.get(name):
        print("static const char *const words_%d[] = { %s };" % (op, quoted(WORDS[name])))
print("static const struct opcode_fact opcode_list[256] = {")
for op, name in names:
    kind = next((k for k, has in KINDS if op in getattr(opcode, has)), "ARG_NUMBER")
    if name == "LOAD_SMALL_INT":
        kind = "ARG_NUMBER"
    words = ', words_%d, %d' % (op, len(WORDS[name])) if WORDS.get(name) else ""
    print('\t[%d] = { "%s", %s%s },' % (op, name, kind, words))
print("};")
print("static const char *const opcode_compare[] = { %s };" % quoted(opcode.cmp_op))

# Forms that the interpreter makes of an opcode at run time: what they stand for.
try:
    from _opcode_metadata import _specializations as forms
except ImportError:
    forms = getattr(opcode, "_specializations", {})
print("static const struct { const char *name; int op; } opcode_forms[] = {")
for base, special in forms.items():
    for name in special:
        print('\t{ "%s", %d },' % (name, opcode.opmap[base]))
print('\t{ NULL, 0 }\n};')
