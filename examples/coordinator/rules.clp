; Rules for `strata task serve --plan clips --rules rules.clp`.
; Facts: (task (id) (command) (reads ...) (writes ...) (priority) (group) (waited) (state)), (resource (id) (name) (state)),
; (event (kind new|ended) (task)). Answer: (choose (task ID) (rank N)); a smaller rank is tried first.

(defrule important-first
  (task (id ?id) (priority ?p) (state waiting))
  =>
  (assert (choose (task ?id) (rank ?p))))
