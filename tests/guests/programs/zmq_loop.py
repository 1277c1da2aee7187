import sys, zmq, time, hashlib
h = hashlib.sha1(); ctx = zmq.Context()
if sys.argv[1] == 's':
    s = ctx.socket(zmq.REP); s.bind('tcp://127.0.0.1:5555')
    for i in range(100):
        m = s.recv(); time.sleep(0.001); s.send(m.upper())
    time.sleep(0.5)
else:
    s = ctx.socket(zmq.REQ); s.connect('tcp://127.0.0.1:5555'); t0 = time.monotonic()
    for i in range(100):
        s.send(b'hello %d' % i); h.update(s.recv() + repr(time.monotonic() - t0).encode()); time.sleep(0.01)
    print(h.hexdigest(), time.monotonic() - t0)
