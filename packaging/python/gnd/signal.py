"""gnd.signal: scipy.signal's names (and windows), for what gnd has of it. Options are keyword arguments; results
through pointers, such as the frequencies of gnd.signal.welch, come behind the values."""

from ._module import lazily

__getattr__, __dir__ = lazily("signal", globals(), headers=True)
