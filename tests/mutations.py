"""mutations.py: the one-line changes that mutate.py makes to C and C++ sources.

Only code inside function bodies is changed: comments, strings, directives, prototypes, tables, sizes of arrays and
the arguments of calls that raise errors are left alone, and so are named sizes (an enum in a body) and lines about
how work is divided among threads (TUNING): another number there is another speed. The sources are formatted by
clang-format, so an operator with a space on either side has two operands, and < without spaces belongs to a template.
"""

import re
from collections import namedtuple

Mutation = namedtuple("Mutation", "path line start end old new")

TOKEN = re.compile(r"""
      (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
    | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<operator><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|\S)
    """, re.X | re.S | re.M)

BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"], "&&": ["||"], "||": ["&&"],
    "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-="], "-=": ["+="], "*=": ["+="], "/=": ["*="], "|=": ["&="], "&=": ["|="],
}
OPPOSITES = [("min", "max"), ("MIN", "MAX"), ("minimum", "maximum"), ("smaller", "larger"), ("floor", "ceil")]
# Calls whose arguments are seen in messages only.
RAISES = re.compile(r"(gndi_raise\w*|gndi_fail|gndi_text_(shape|array|device)|refuse\w*|raise_\w+|fail_\w+|"
                    r"(static_|_Static_)?assert)$")
# Lines that choose how fast something is done.
TUNING = re.compile(r"grain|GRAIN|TASK_|prefetch|_worth\b|WORTH")


def _opposite(name):
    """fmin for fmax, INT64_MAX for INT64_MIN, false for true; None for any other name."""
    if name in ("true", "false"):
        return "false" if name == "true" else "true"
    for pair in OPPOSITES:
        for word, other in (pair, pair[::-1]):
            changed, count = re.subn(rf"(?<![a-zA-Z]){word}(?![a-zA-Z])|(?<=^f){word}$", other, name)
            if count:
                return changed
    return None


def _next_numbers(number):
    """A number's neighbours. Of 0 only 1, since many are unsigned."""
    digits = re.match(r"0[xX][0-9a-fA-F]+|[^uUlLfF]+", number).group()
    suffix = number[len(digits):]
    if re.fullmatch(r"\d+|0[xX]\w+", digits):
        value = int(digits, 8) if re.fullmatch(r"0[0-7]+", digits) else int(digits, 0)
        return [str(value + step) + suffix for step in (1, -1) if value + step >= 0]
    return [repr(float(digits) + 1) + suffix]


def _about_cuda(directive, hidden):
    """Follows #if and its kin: a stack of whether each open one hides code for CUDA."""
    word, condition = re.match(r"\s*#\s*(\w*)(.*)", directive, re.S).groups()
    about = "CUDA" in condition
    if word in ("if", "ifdef", "ifndef"):
        hidden.append((about and word != "ifndef" and "!" not in condition, about))
    elif word in ("else", "elif") and hidden:
        was_hidden, about = hidden.pop()
        hidden.append((about and not was_hidden, about))
    elif word == "endif" and hidden:
        hidden.pop()


class _Context:
    """Where in a source the scanner is: braces, calls that raise, the head of a for."""

    def __init__(self):
        self.braces, self.parentheses, self.hidden = [], [], []
        self.before = ["", ""]  # the last two tokens

    def step(self, token):
        last = self.before[-1]
        if token == "{":
            opens_body = last == ")" or last in ("const", "noexcept", "else", "do", "try")
            if "enum" in self.before:
                self.braces.append("sizes")
            else:
                self.braces.append("body" if "body" in self.braces or opens_body else "other")
        elif token == "}" and self.braces:
            self.braces.pop()
        elif token in ("(", "["):
            self.parentheses.append(last if token == "(" else "[" + " ".join(self.before))
        elif token in (")", "]") and self.parentheses:
            self.parentheses.pop()
        self.before = [last, token]

    def mutable(self):
        return ("body" in self.braces and "sizes" not in self.braces and not any(hide for hide, _ in self.hidden)
                and not any(RAISES.match(call) for call in self.parentheses))

    def declares_array(self):
        """Inside the brackets of `type name[n]` or of `(int[n])`."""
        words = self.parentheses[-1][1:].split() if self.parentheses else []
        if len(words) == 2 and words[0] == "(" and re.match(r"(int|char|float|double|\w+_t)$", words[1]):
            return True
        return len(words) == 2 and all(re.match(r"[A-Za-z_]", w) for w in words) and \
            self.parentheses[-1][0] == "[" and words[0] not in ("return", "case", "else")


def _changes(kind, token, text, match, context):
    """What can stand in a token's stead."""
    if context.declares_array():
        return []
    if kind == "number":
        return _next_numbers(token)
    if kind == "name":
        opposite = _opposite(token)
        return [opposite] if opposite and context.before[-1] not in (".", "->") else []
    before, after = text[match.start() - 1:match.start()], text[match.end():match.end() + 1]
    if token in BINARY and before == " " and after in " \n":
        return BINARY[token]
    if token in ("++", "--") and "for" not in context.parentheses:
        return ["--" if token == "++" else "++"]
    if token in ("!", "-") and after not in " \n=" and (
            context.before[-1] in ("return", "?") or not re.match(r"[\w)\]]", context.before[-1][-1:])):
        return [""]
    if token == "]" and context.parentheses and context.before[-1] not in ("[", "&", "="):
        return [" + 1]", " - 1]"]
    return []


def mutations(path, text):
    """All changes to a source, in the order of its text."""
    found, context = [], _Context()
    line, at = 1, 0
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        line, at = line + text.count("\n", at, match.start()), match.start()
        if kind == "directive":
            _about_cuda(token, context.hidden)
        if kind in ("comment", "directive"):
            continue
        end = text.find("\n", at)
        tuning = TUNING.search(text, text.rfind("\n", 0, at) + 1, end if end >= 0 else len(text))
        if kind != "text" and context.mutable() and not tuning:
            found += [Mutation(path, line, match.start(), match.end(), token, new)
                      for new in _changes(kind, token, text, match, context)]
        context.step(token)
    return found


def applied(mutation, text):
    return text[:mutation.start] + mutation.new + text[mutation.end:]


def difference(mutation, text):
    """The changed line as a reader wants it: before and after."""
    begin = text.rfind("\n", 0, mutation.start) + 1
    end = text.find("\n", mutation.end)
    changed = text[begin:mutation.start] + mutation.new + text[mutation.end:end]
    return f"- {text[begin:end].strip()}\n+ {changed.strip()}"
