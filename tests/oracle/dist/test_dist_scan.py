"""The list of associative operators that libgnd_dist has is that of the table of operators."""

import re

import headers


def test_associative_operators():
    source = (headers.ROOT / "src" / "dist" / "scan.c").read_text()
    listed = re.findall(r'"(\w+)"', source[source.index("associative[] ="):source.index("typedef struct scanning")])
    rows = [row for row in headers.read_operators() if "ASSOCIATIVE" in row.flags]
    assert sorted(listed) == sorted(row.name for row in rows if not {"INTERNAL", "INTERNAL_CHECKED"} & set(row.flags))
