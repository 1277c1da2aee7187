"""A client of the Strata task coordinator in pure Python: no packages needed.

    import strata_task
    coordinator = strata_task.Client()              # the usual Unix socket, or STRATA_TASK_ADDRESS
    task = coordinator.submit(["walk", "fast"], resources=[0, 1], priority=3)
    print(coordinator.wait(task)["state"])

Speaks ZMTP 3.0 over a Unix socket. Over the network the coordinator wants CURVE, which needs the C++ client.
"""

import json
import os
import select
import socket
import struct
import time

NEW_TASK, REQUEST, TERMINATE, DISCARD, DISCARD_GROUP = 201, 210, 220, 230, 231
SUSPEND, RESUME, QUERY, SUBSCRIBE = 240, 241, 250, 251
ERROR, NO_SUCH_TASK, STARTED, FINISHED = 315, 330, 311, 321
FINAL = {"done", "failed", "killed", "preempted", "timed_out", "expired", "discarded", "interrupted"}


class Refused(Exception):
    """The coordinator said no; the text says why and what to do."""


def default_address():
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = runtime + "/strata" if runtime else "/tmp/strata-%d" % os.getuid()
    return os.environ.get("STRATA_TASK_ADDRESS") or folder + "/task.sock"


def _field(tag, value):
    return struct.pack("<BI", tag, len(value)) + value


def _number(tag, value):
    return _field(tag, struct.pack("<q", int(value)))


def encode_task(command, resources=(), priority=99, group="", environment=None, folder="", after=(), after_success=(),
                timeout_s=0, deadline_s=0, duration_s=0, retries=0):
    """One task as bytes. A resource is an id, or (id, "read"), or (id, "write", amount)."""
    out = _field(1, os.fsencode(command[0]))
    out += b"".join(_field(2, os.fsencode(word)) for word in command[1:])
    out += b"".join(_field(3, os.fsencode("%s=%s" % item)) for item in (environment or {}).items())
    if folder:
        out += _field(4, os.fsencode(folder))
    for entry in resources:
        entry = (entry,) if isinstance(entry, int) else tuple(entry)
        use = entry[1] if len(entry) > 1 else "write"
        if use not in ("read", "write"):
            raise ValueError("a resource is used for 'read' or 'write', not %r" % use)
        amount = entry[2] if len(entry) > 2 else 1
        out += _field(5, struct.pack("<iBi", entry[0], 1 if use == "write" else 0, amount))
    out += _number(6, priority)
    if group:
        out += _field(7, group.encode())
    out += b"".join(_number(8, task) for task in after)
    out += b"".join(_number(9, task) for task in after_success)
    for tag, seconds in ((10, timeout_s), (11, deadline_s), (12, duration_s)):
        if seconds:
            out += _number(tag, round(seconds * 1e9))
    if retries:
        out += _number(13, retries)
    return out


class Client:
    def __init__(self, address=None, timeout_s=60):
        address = address or default_address()
        if address.startswith("tcp://"):
            raise ValueError("over the network the coordinator wants CURVE: use the C++ client")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        self._socket.connect(address[6:] if address.startswith("ipc://") else address)
        self._events = []
        self._last = 0
        self._greet()

    def close(self):
        self._socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # What the coordinator can do.

    def submit(self, command, **rules):
        """Hands in one task; see encode_task for the rules. Returns its id once it is on disk."""
        return self.submit_all([encode_task(command, **rules)])

    def submit_all(self, tasks):
        """Several encoded tasks, all or none. Returns the id of the first; the others follow it."""
        data = b"".join(struct.pack("<I", len(task)) + task for task in tasks)
        return self.ask(NEW_TASK, data=data, kind=1)[1]

    def kill(self, task):
        self.ask(TERMINATE, task)

    def discard(self, task):
        self.ask(DISCARD, task)

    def discard_group(self, group):
        return self.ask(DISCARD_GROUP, data=group.encode())[1]

    def suspend(self, task):
        self.ask(SUSPEND, task)

    def resume(self, task):
        self.ask(RESUME, task)

    def request(self):
        """Asks for the next task, in manual mode: 311 started, 312 no resources, 313 empty, 314 no priority."""
        return self.ask(REQUEST)[0]

    def query(self, what, **more):
        """'queue', 'running', 'resources', 'tables', 'history', 'stats', or 'task' with id=."""
        return json.loads(self.ask(QUERY, data=json.dumps(dict(more, what=what)).encode())[2])

    def task(self, task):
        return self.query("task", id=task)[0]

    def log(self, task, stream="out"):
        """All a task has written to 'out' or 'err', as bytes."""
        output, offset = b"", 0
        while True:
            question = {"what": "log", "id": task, "stream": stream, "offset": offset}
            _, offset, page = self.ask(QUERY, data=json.dumps(question).encode())
            if not page:
                return output
            output += page

    def wait(self, task, timeout_s=None):
        """Waits until a task has ended; returns its record."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        self.ask(SUBSCRIBE)
        while True:
            record = self.task(task)
            if record["state"] in FINAL:
                return record
            if end is not None and time.monotonic() > end:
                raise TimeoutError("task %d is %s" % (task, record["state"]))
            self.next_event(1.0 if end is None else max(0.0, min(1.0, end - time.monotonic())))

    def next_event(self, timeout_s):
        """(code, task, state) of the next start or end after SUBSCRIBE; None if none comes in time."""
        if not self._events and select.select([self._socket], [], [], timeout_s)[0]:
            self._take(self._receive())
        return self._events.pop(0) if self._events else None

    def ask(self, code, task=0, data=b"", kind=2):
        """Sends a message and returns (code, id, data) of its answer."""
        self._last += 1
        header = b"STC\x01" + struct.pack("<HBBIIQ", code, kind, 0, self._last, len(data), task)
        self._send(header + data)
        while True:
            answer = self._take(self._receive())
            if answer is None:
                continue
            if answer[0] in (ERROR, NO_SUCH_TASK):
                raise Refused(self._errors(answer[2]))
            return answer

    # Messages.

    def _take(self, message):
        if len(message) < 24 or message[:4] != b"STC\x01":
            raise ConnectionError("not a coordinator of this version")
        code, _, _, number, _, task = struct.unpack("<HBBIIQ", message[4:24])
        if number == 0 and code in (STARTED, FINISHED):
            self._events.append((code, task, message[24:].decode()))
            return None
        return (code, task, message[24:]) if number in (0, self._last) else None

    @staticmethod
    def _errors(data):
        texts = []
        while data:
            size = struct.unpack("<I", data[:4])[0]
            texts.append(data[4:4 + size].decode(errors="replace"))
            data = data[4 + size:]
        return "; ".join(text for text in texts if text)

    # ZMTP 3.0.

    def _greet(self):
        self._socket.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))
        self._exactly(64)
        kind = b"\x0bSocket-Type" + struct.pack(">I", 6) + b"DEALER"
        ready = b"\x05READY" + kind + b"\x08Identity" + struct.pack(">I", 0)
        self._socket.sendall(b"\x04" + bytes([len(ready)]) + ready)
        self._frame()

    def _send(self, message):
        size = len(message)
        head = b"\x00" + bytes([size]) if size < 256 else b"\x02" + struct.pack(">Q", size)
        self._socket.sendall(head + message)

    def _receive(self):
        while True:
            flags, body = self._frame()
            if not flags & 4:
                return body

    def _frame(self):
        flags = self._exactly(1)[0]
        size = struct.unpack(">Q", self._exactly(8))[0] if flags & 2 else self._exactly(1)[0]
        return flags, self._exactly(size)

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self._socket.recv(count - len(data))
            if not piece:
                raise ConnectionError("the coordinator has gone")
            data += piece
        return data
