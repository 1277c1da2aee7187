import socket, sys, time
if sys.argv[1] == 's':
    l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); l.bind(('0.0.0.0', 47011)); l.listen(5); c, who = l.accept(); print('from', who)
    while d := c.recv(65536): c.sendall(d)
    print('server done')
else:
    time.sleep(.01); host = sys.argv[2] if len(sys.argv) > 2 else '127.0.0.1'
    c = socket.create_connection((host, 47011)); rt = []
    for k in range(300):
        t = time.monotonic(); m = b'x' * (1 + k * 997 % 3000); c.sendall(m); n = 0
        while n < len(m): n += len(c.recv(4096))
        rt.append(time.monotonic() - t)
    t = time.monotonic(); big = b'y' * 20000000
    import threading
    th = threading.Thread(target=c.sendall, args=(big,)); th.start(); n = 0
    while n < len(big): n += len(c.recv(1 << 20))
    th.join()
    print('rtt min %.9f max %.9f big %.6f' % (min(rt), max(rt), time.monotonic() - t), socket.gethostname(), socket.gethostbyname(socket.gethostname()))
    c.close()
