import sqlite3, threading, os, time, hashlib
db='w.db'
for f in (db, db+'-wal', db+'-shm'):
    if os.path.exists(f): os.unlink(f)
c=sqlite3.connect(db); c.execute('pragma journal_mode=wal'); c.execute('create table t(a,b,c)'); c.commit(); c.close()
def w(n):
    c=sqlite3.connect(db, timeout=30)
    for i in range(30):
        with c: c.execute('insert into t values(?,?,?)',(n,i,time.time()))
        time.sleep(0.003*n)
    c.close()
pids=[]
for n in (1,2,3):
    p=os.fork()
    if p==0: w(n); os._exit(0)
    pids.append(p)
for p in pids: os.waitpid(p,0)
rows=sqlite3.connect(db).execute('select * from t order by rowid').fetchall()
print(len(rows), hashlib.sha1(repr(rows).encode()).hexdigest())
