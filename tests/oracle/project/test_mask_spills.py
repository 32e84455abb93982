"""Masks of AVX-512 that the compiler keeps on the stack are read as they were stored.

g++ 12.2 stores 16 bits of a mask that is a uint64_t in the source (`uint64_t found = _mm512_cmp_ps_mask(...)`) where it
runs out of registers, and reads 64: the upper bits are what was there before. This was seen in argmax with -O1 and
calls of the address sanitizer, never with the flags of a release. The test looks through the compiled loops: which
stores may reach a load from the same place of the stack."""

import re
import subprocess
from pathlib import Path

import gnd
import pytest

OBJECTS = sorted(Path(gnd.LIBRARY).parent.glob("kernels/cpu/*.p/*.o"))
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*([^#]*)")
PLACE = re.compile(r"(?:-?0x[0-9a-f]+)?\(%r[sb]p\)")
WRITTEN = re.compile(PLACE.pattern + r"\s*$")
MASK_BYTES = {"kmovb": 1, "kmovw": 2, "kmovd": 4, "kmovq": 8}
LOW_BITS = re.compile(r"(and|or|xor)\s.*%(e\w\w|r\d+d)$")  # 16 bits of what it gives are used
COMPARES = ("cmp", "test", "vpcmp", "vcmp", "vucomis", "vcomis", "bt")


def register_bytes(name):
    """How wide a general register is; 0 of others."""
    if re.fullmatch(r"r\d+d|e\w\w", name):
        return 4
    if re.fullmatch(r"r\d+w|[a-d]x|[sd]i|[bs]p", name):
        return 2
    if re.fullmatch(r"r\d+b|\w+l|[a-d]h", name):
        return 1
    return 8 if re.fullmatch(r"r\d+|r\w\w", name) else 0


def read_bytes(operation, operands):
    """How many bytes of the stack an instruction reads into masks or general registers."""
    if operation in MASK_BYTES:
        return MASK_BYTES[operation]
    if operation.startswith(("movzb", "movsb", "movzw", "movsw", "movsl")):
        return {"b": 1, "w": 2, "l": 4}[operation[4]]
    return max([register_bytes(name) for name in re.findall(r"%(\w+)", PLACE.sub("", operands))], default=0)


def functions(dump):
    """The instructions of each function: (address, operation, operands)."""
    name, found = None, []
    for line in [*dump, "0 <end>:"]:
        if head := re.match(r"^[0-9a-f]+ <(.*)>:", line):
            if any(operation in MASK_BYTES and WRITTEN.search(operands) for _, operation, operands in found):
                yield name, found
            name, found = head[1], []
        elif part := INSTRUCTION.match(line):
            found.append((int(part[1], 16), part[2], part[3].strip()))


def blocks_of(code):
    """Where blocks without jumps begin, and the blocks that may follow each."""
    index = {address: i for i, (address, _, _) in enumerate(code)}
    targets, starts = {}, {0}
    for i, (_, operation, operands) in enumerate(code):
        if operation.startswith(("j", "ret")):
            starts.add(i + 1)
            to = re.match(r"[0-9a-f]+\b", operands)
            if operation != "ret" and to and int(to[0], 16) in index:
                targets[i] = index[int(to[0], 16)]
                starts.add(targets[i])
    starts = sorted(starts - {len(code)})
    number = {start: k for k, start in enumerate(starts)}
    ends = [*starts[1:], len(code)]
    follow = []
    for k, end in enumerate(ends):
        last = code[end - 1][1]
        after = [number[targets[end - 1]]] if end - 1 in targets else []
        follow.append(after + ([k + 1] if last not in ("jmp", "ret") and k + 1 < len(ends) else []))
    return list(zip(starts, ends)), follow


def run_block(code, block, stored, wide):
    """Follows the stores of a block; adds what reads more of a mask than was stored to `wide`."""
    for address, operation, operands in code[slice(*block)]:
        place = PLACE.search(operands)
        if not place or operation.startswith(("lea", "nop")):
            continue
        if WRITTEN.search(operands) and "," in PLACE.sub("", operands) and not operation.startswith(COMPARES):
            if "mov" in operation or "extr" in operation:
                stored[place[0]] = frozenset([(MASK_BYTES.get(operation, 64), address)])
        elif place[0] in stored:
            taken = read_bytes(operation, operands)
            wide |= {(at, address, f"{operation} {operands}") for size, at in stored[place[0]] if size < taken}
    return stored


def wide_reads(code):
    """(where a mask was stored, where more bytes than that are read, by what instruction)"""
    blocks, follow = blocks_of(code)
    before = [None] * len(blocks)
    before[0], work, wide = {}, [0], set()
    while work:
        k = work.pop()
        after = run_block(code, blocks[k], dict(before[k]), wide)
        for to in follow[k]:
            joined = dict(before[to] or {})
            for place, stores in after.items():
                joined[place] = joined.get(place, frozenset()) | stores
            if joined != before[to]:
                before[to] = joined
                work.append(to)
    return wide


def test_the_fault_is_found():
    dump = """0 <f>:
  0: vcmpps $0x0,%zmm1,%zmm0,%k1
  1: kmovw %k1,0x40(%rsp)
  2: call 100 <g>
  3: test %eax,%eax
  4: je 6 <f+0x6>
  5: mov %rbx,0x40(%rsp)
  6: mov 0x40(%rsp),%rax
  7: movzwl 0x40(%rsp),%ecx
  8: kmovw 0x40(%rsp),%k2
  9: ret""".splitlines()
    [(name, code)] = functions(dump)
    assert name == "f" and wide_reads(code) == {(1, 6, "mov 0x40(%rsp),%rax")}
    assert not wide_reads([line for line in code if line[0] != 4])  # stored whole before


@pytest.mark.skipif(not OBJECTS, reason="the objects of the library are not beside it")
def test_masks_are_read_as_they_were_stored():
    done = subprocess.run(["objdump", "-d", "-w", "--no-show-raw-insn", *OBJECTS], capture_output=True, text=True,
                          check=True)
    found = [f"{name}: stored at {at:x}, read at {address:x} by {what}"
             for name, code in functions(done.stdout.splitlines())
             for at, address, what in sorted(wide_reads(code)) if not LOW_BITS.match(what)]
    assert not found, "\n".join(found)
