// A bytecode interpreter with a large switch.
#include <stdio.h>
enum { PUSH, ADD, SUB, MUL, DUP, SWAP, DROP, LESS, JUMP, JUMP_ZERO, LOAD, STORE, MOD, XOR, SHIFT, HALT };
static long run(const int* code) {
  long stack[64], memory[8] = {0};
  int top = 0;
  for (int pc = 0;;) {
    switch (code[pc++]) {
      case PUSH: stack[top++] = code[pc++]; break;
      case ADD: --top, stack[top - 1] += stack[top]; break;
      case SUB: --top, stack[top - 1] -= stack[top]; break;
      case MUL: --top, stack[top - 1] *= stack[top]; break;
      case DUP: stack[top] = stack[top - 1], ++top; break;
      case SWAP: { const long t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break; }
      case DROP: --top; break;
      case LESS: --top, stack[top - 1] = stack[top - 1] < stack[top]; break;
      case JUMP: pc = code[pc]; break;
      case JUMP_ZERO: pc = stack[--top] ? pc + 1 : code[pc]; break;
      case LOAD: stack[top++] = memory[code[pc++]]; break;
      case STORE: memory[code[pc++]] = stack[--top]; break;
      case MOD: --top, stack[top - 1] %= stack[top]; break;
      case XOR: --top, stack[top - 1] ^= stack[top]; break;
      case SHIFT: stack[top - 1] <<= code[pc++]; break;
      case HALT: return memory[1];
    }
  }
}
int main(void) {
  static const int kProgram[] = {PUSH, 0, STORE, 0, LOAD, 0, PUSH, 300000, LESS, JUMP_ZERO, 36, LOAD, 1, LOAD, 0, XOR,
                                 SHIFT, 1, PUSH, 10007, MOD, DUP, LOAD, 0, ADD, PUSH, 3, MUL, SWAP, DROP, STORE, 1,
                                 JUMP, 38, HALT, HALT, HALT, HALT, LOAD, 0, PUSH, 1, ADD, STORE, 0, JUMP, 4};
  printf("%ld\n", run(kProgram));
}
