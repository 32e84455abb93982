"""Adds up JUnit XML files (meson test, pytest, compute-sanitizer) into one closing line.

    summary.py FILE...                              print the failures and `N passed, N failed`
    summary.py --write FILE SUITE PASSED FAILED     write a JUnit file from two counts
    summary.py --programs FILE SUITE LOG            write one with a case for each test program of
                                                    meson's LOG.json: whether it ended as it should
"""

import json
import sys
import xml.etree.ElementTree as ElementTree


def write(path, suite, passed, failed):
    root = ElementTree.Element("testsuite", name=suite)
    for number in range(int(passed) + int(failed)):
        case = ElementTree.SubElement(root, "testcase", classname=suite, name=f"{suite}-{number + 1}")
        if number >= int(passed):
            ElementTree.SubElement(case, "failure", message="see the log")
    ElementTree.ElementTree(root).write(path)


def write_programs(path, suite, log):
    """A program that dies after some results, or when it ends (a leak, say), has no failed case of its own
    in meson's JUnit file."""
    root = ElementTree.Element("testsuite", name=suite)
    for line in open(log):
        program = json.loads(line)
        case = ElementTree.SubElement(root, "testcase", classname=suite, name=program["name"])
        if program["result"] not in ("OK", "SKIP"):
            ElementTree.SubElement(case, "failure", message=program["result"])
    ElementTree.ElementTree(root).write(path)


def read(path):
    passed, skipped, failures = 0, 0, []
    for suite in ElementTree.parse(path).iter("testsuite"):
        cases = suite.findall("testcase")
        # A program that died before its first result leaves a suite with errors and no cases.
        if not cases and int(suite.get("errors", 0) or 0) + int(suite.get("failures", 0) or 0):
            failures.append(suite.get("name"))
        for case in cases:
            if case.find("failure") is not None or case.find("error") is not None:
                failures.append(f"{case.get('classname')}: {case.get('name')}")
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    return passed, skipped, failures


def main(arguments):
    if arguments and arguments[0] == "--write":
        return write(*arguments[1:])
    if arguments and arguments[0] == "--programs":
        return write_programs(*arguments[1:])
    total, all_skipped, all_failures = 0, 0, []
    for path in arguments:
        passed, skipped, failures = read(path)
        print(f"{path.rsplit('/', 1)[-1]}: {passed} passed, {len(failures)} failed, {skipped} skipped")
        for failure in failures:
            print(f"  failed: {failure}")
        total, all_skipped = total + passed, all_skipped + skipped
        all_failures += failures
    if total == 0:
        all_failures.append("no test ran")
    print(f"{total} passed, {len(all_failures)} failed, {all_skipped} skipped")
    return 1 if all_failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
