"""Devices, streams, events and fused blocks, each for a `with` block."""

import ctypes

from . import _convert
from ._library import C, Error, check, raw

_use, _current = raw("use", "gnd_status", "gnd_device"), raw("current_device", "gnd_device")
_count, _sync = raw("device_count", "int", "gnd_device_kind"), raw("sync", "gnd_status")
_why = raw("gpu_unavailable", "const char *")


def _checked(status):
    if status:
        check()


class Device:
    """A device by name: Device("cpu"), Device("gpu:1"). `with Device("gpu"):` makes arrays there."""

    def __init__(self, name="cpu"):
        self._device = _convert.device(name)

    def use(self):
        """Makes it the thread's current device."""
        _checked(_use(self._device))

    def synchronize(self):
        """Waits until all of its work is done."""
        with self:
            _checked(_sync())

    def __enter__(self):
        self.__dict__.setdefault("_before", []).append(current_device())
        self.use()
        return self

    def __exit__(self, *exception):
        self._before.pop().use()

    def __str__(self):
        return "cpu" if self._device.kind == C["CPU"] else f"gpu:{self._device.index}"

    def __repr__(self):
        return f"Device('{self}')"

    def __eq__(self, other):
        try:
            other = _convert.device(other)
        except ValueError:
            return False
        return (self._device.kind, self._device.index) == (other.kind, other.index)

    def __hash__(self):
        return hash(str(self))


def current_device():
    """The thread's current device."""
    return Device(_current())


def devices():
    """All devices that can be used."""
    return [Device("cpu")] + [Device(f"gpu:{k}") for k in range(_count(C["GPU"]))]


def gpu_unavailable():
    """Why no GPU can be used, as a sentence; None if one can."""
    why = _why()
    return why and why.decode()


def synchronize():
    """Waits for the current device, and raises what its kernels found wrong."""
    _checked(_sync())


class _Owned:
    """What the library made and releases."""

    def __del__(self):
        if getattr(self, "_handle", None):
            self._free(self._handle)
            self._handle = None

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self._handle)


class Stream(_Owned):
    """A queue of work on the current device. `with Stream():` sends it the thread's work."""

    _free = raw("stream_release", "void", "gnd_stream *")

    def __init__(self):
        self._handle = raw("stream_new", "gnd_stream *")()
        if not self._handle:
            check()

    def __enter__(self):
        self._before = raw("current_stream", "gnd_stream *")()
        _checked(raw("use_stream", "gnd_status", "gnd_stream *")(self._handle))
        return self

    def __exit__(self, *exception):
        _checked(raw("use_stream", "gnd_status", "gnd_stream *")(self._before))

    def synchronize(self):
        _checked(raw("stream_sync", "gnd_status", "gnd_stream *")(self._handle))

    @property
    def done(self):
        return raw("stream_done", "bool", "gnd_stream *")(self._handle)

    @property
    def ptr(self):
        """The cudaStream_t as a number; 0 on the CPU."""
        return raw("stream_native", "void *", "gnd_stream *")(self._handle) or 0

    def record(self, event=None):
        """An event behind all that is queued."""
        event = event or Event()
        _checked(raw("event_record", "gnd_status", "gnd_event *", "gnd_stream *")(event._handle, self._handle))
        return event

    def wait_event(self, event):
        _checked(raw("stream_wait_event", "gnd_status", "gnd_stream *", "gnd_event *")(self._handle, event._handle))


class Event(_Owned):
    """A point in a stream. `later - earlier` is the time between two, in milliseconds."""

    _free = raw("event_release", "void", "gnd_event *")

    def __init__(self, timing=True):
        self._handle = raw("event_new", "gnd_event *", "bool")(timing)
        if not self._handle:
            check()

    def record(self):
        """Behind all that is queued on the current stream."""
        _checked(raw("event_record", "gnd_status", "gnd_event *", "gnd_stream *")(self._handle, None))
        return self

    def synchronize(self):
        _checked(raw("event_sync", "gnd_status", "gnd_event *")(self._handle))

    @property
    def done(self):
        return raw("event_done", "bool", "gnd_event *")(self._handle)

    def __sub__(self, earlier):
        time = raw("event_elapsed", "double", "gnd_event *", "gnd_event *")(earlier._handle, self._handle)
        check()
        return time


class fuse:
    """`with gnd.fuse():` turns the calls inside into few launches. What still has a name is computed at the end, or
    where its elements are needed; temporaries never reach memory."""

    def __enter__(self):
        self._always = raw("fuse_always", "bool", "bool")
        self._before = self._always(True)
        return self

    def __exit__(self, *exception):
        self._always(self._before)
        if exception[0] is None:
            check()
