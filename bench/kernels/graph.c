// Shortest paths on a grid with a binary heap.
#include <stdio.h>
enum { W = 160, N = W * W };
static unsigned char cost[N];
static int dist[N], heap[N * 5], place;
static int key[N * 5];
static void push(int k, int node) {
  int i = place++;
  while (i > 0 && key[(i - 1) / 2] > k) {
    key[i] = key[(i - 1) / 2], heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  key[i] = k, heap[i] = node;
}
static int pop(int* k) {
  const int node = heap[0], last = key[--place], moved = heap[place];
  *k = key[0];
  int i = 0;
  for (;;) {
    int child = 2 * i + 1;
    if (child >= place) break;
    if (child + 1 < place && key[child + 1] < key[child]) ++child;
    if (key[child] >= last) break;
    key[i] = key[child], heap[i] = heap[child];
    i = child;
  }
  key[i] = last, heap[i] = moved;
  return node;
}
static void search(int from) {
  static const int kStep[] = {1, -1, W, -W};
  for (int i = 0; i < N; ++i) dist[i] = 1 << 30;
  dist[from] = 0;
  push(0, from);
  while (place) {
    int k;
    const int at = pop(&k);
    if (k > dist[at]) continue;
    for (int s = 0; s < 4; ++s) {
      const int next = at + kStep[s];
      if (next < 0 || next >= N || (s == 0 && next % W == 0) || (s == 1 && at % W == 0)) continue;
      if (k + cost[next] < dist[next]) push(dist[next] = k + cost[next], next);
    }
  }
}
int main(void) {
  unsigned seed = 3;
  for (int i = 0; i < N; ++i) cost[i] = (unsigned char)(1 + ((seed = seed * 1664525U + 1013904223U) >> 28));
  long sum = 0;
  for (int i = 0; i < 6; ++i) {
    search(i * 1117);
    for (int k = 0; k < N; k += 97) sum += dist[k];
  }
  printf("%ld\n", sum);
}
