import threading, time, queue, hashlib, asyncio, subprocess, random, socket
h = hashlib.sha1()
start = time.monotonic()
lock = threading.Lock()
items = queue.Queue()
done = threading.Event()
def note(*what):
    with lock:
        h.update(repr(what).encode())
def periodic(name, step, until):
    at = start
    while at < start + until:
        at += step
        time.sleep(max(0, at - time.monotonic()))
        note(name, round(time.monotonic() - start, 9))
        items.put(name)
def consume():
    while True:
        try:
            note('got', items.get(timeout=0.25), time.time())
        except queue.Empty:
            note('empty', time.monotonic() - start)
            if done.is_set():
                return
threads = [threading.Thread(target=periodic, args=a) for a in (('a', .01, 5), ('b', .1, 5), ('c', 1.0, 5))]
reader = threading.Thread(target=consume)
for t in threads + [reader]: t.start()
for t in threads: t.join()
done.set(); reader.join()
async def main():
    async def serve(r, w):
        while line := await r.readline():
            await asyncio.sleep(0.003)
            w.write(line.upper()); await w.drain()
        w.close()
    async def ask(i):
        r, w = await asyncio.open_connection('127.0.0.1', 47020)
        for k in range(50):
            w.write(b'm %d %d\n' % (i, k)); note(await r.readline(), time.monotonic() - start)
            try: await asyncio.wait_for(asyncio.Event().wait(), 0.05 * (i + 1))
            except asyncio.TimeoutError: pass
        w.close()
    server = await asyncio.start_server(serve, '127.0.0.1', 47020)
    await asyncio.gather(*[ask(i) for i in range(5)])
    server.close()
    p = await asyncio.create_subprocess_exec('sh', '-c', 'sleep 1; date -u +%s; echo hello', stdout=subprocess.PIPE)
    out, _ = await p.communicate(); note(out, p.returncode)
    print(out)
asyncio.run(main())
out = subprocess.run(['sh', '-c', 'sleep 2; date -u +%s; echo $$'], capture_output=True, text=True)
print(h.hexdigest(), time.monotonic() - start, out.stdout.split(), random.random(), hash('x'))
