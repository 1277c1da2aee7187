for i in 1 2 3; do (sleep 0.$i; echo child $i $$ $(date +%s.%N)) & done
wait
echo one two three | tr ' ' '\n' | sort | while read w; do sleep 0.1; echo $w $(date +%s.%N); done
trap 'echo got usr1 $(date +%s.%N)' USR1
(sleep 1; kill -USR1 $$) &
sleep 3 & wait $!
echo waited $(date +%s.%N)
wait
seq 1 100000 | tail -1
