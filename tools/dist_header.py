"""Makes include/gnd/dist/elementwise.h of the table of operators: a macro gnd_dist_NAME for each row that is public.
`./dev symbols` calls it; tests/oracle/dist/test_dist.py holds the header to it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import headers  # noqa: E402

HEADER = headers.DIST / "elementwise.h"

HEAD = """\
/*
 * gnd/dist/elementwise.h: the operators of gnd/elementwise.h on split arrays: gnd_dist_add(x, 2) is
 * gnd_dist_apply("add", GND_DIST_ARGS(x, 2), NULL). Those with parameters take them behind the arrays; those with two
 * results take two addresses first, as in gnd_dist_divmod(&q, &r, x, y), and return a gnd_status.
 *
 * Made of src/kernels/ops/ops.def by ./dev symbols.
 */
#ifndef GND_DIST_ELEMENTWISE_H
#define GND_DIST_ELEMENTWISE_H

#include <gnd/dist/math.h>

"""


def header():
    lines = []
    for row in headers.read_operators():
        if {"INTERNAL", "INTERNAL_CHECKED"} & set(row.flags):
            continue
        name = f"gnd_dist_{row.name}"
        if len(row.outputs) == 2:
            call = f'gnd_dist_apply_two(a, b, "{row.name}", GND_DIST_ARGS(__VA_ARGS__), NULL)'
            lines.append(f"#define {name}(a, b, ...) {call}")
        else:
            lines.append(f'#define {name}(...) gnd_dist_apply("{row.name}", GND_DIST_ARGS(__VA_ARGS__), NULL)')
    return HEAD + "\n".join(lines) + "\n\n#endif\n"


if __name__ == "__main__":
    HEADER.write_text(header())
