#!/usr/bin/env python3
"""A controller steers a plant over UDP: `udp_loop.py plant SECONDS` and `udp_loop.py controller SECONDS`."""
import hashlib
import select
import socket
import struct
import sys
import time

PLANT, CONTROLLER = ("127.0.0.1", 47001), ("127.0.0.1", 47002)
role, seconds = sys.argv[1], float(sys.argv[2])
start = time.monotonic()
digest = hashlib.sha1()
channel = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
channel.bind(PLANT if role == "plant" else CONTROLLER)
received = sent = missed = 0

if role == "plant":
    position, speed, force = 1.0, 0.0, 0.0
    due = start
    while time.monotonic() - start < seconds:
        wait = max(0.0, due - time.monotonic())
        if select.select([channel], [], [], wait)[0]:
            force = struct.unpack("d", channel.recv(64))[0]
            received += 1
            digest.update(repr((force, time.monotonic() - start)).encode())
            continue
        due += 0.005
        speed += force * 0.005
        position += speed * 0.005
        channel.sendto(struct.pack("dd", position, speed), CONTROLLER)
        sent += 1
    print(f"plant: position {position:.9f} received {received} sent {sent} {digest.hexdigest()}")
else:
    while time.monotonic() - start < seconds:
        if not select.select([channel], [], [], 0.02)[0]:
            missed += 1
            continue
        position, speed = struct.unpack("dd", channel.recv(64))
        received += 1
        digest.update(repr((position, time.monotonic() - start)).encode())
        channel.sendto(struct.pack("d", -4 * position - 3 * speed), PLANT)
    print(f"controller: received {received} missed {missed} {digest.hexdigest()}")
