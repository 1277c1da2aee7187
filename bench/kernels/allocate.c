// Linked lists and trees on the heap.
#include <stdio.h>
#include <stdlib.h>
struct node {
  struct node *left, *right;
  int key;
};
static struct node* insert(struct node* at, int key) {
  if (!at) {
    at = malloc(sizeof *at);
    at->left = at->right = NULL;
    at->key = key;
  } else if (key < at->key) {
    at->left = insert(at->left, key);
  } else if (key > at->key) {
    at->right = insert(at->right, key);
  }
  return at;
}
static long destroy(struct node* at) {
  if (!at) return 0;
  const long sum = destroy(at->left) + destroy(at->right) + at->key % 10;
  free(at);
  return sum;
}
int main(void) {
  unsigned seed = 17;
  long sum = 0;
  for (int round = 0; round < 8; ++round) {
    struct node* root = NULL;
    for (int i = 0; i < 5000; ++i) root = insert(root, (int)((seed = seed * 1664525U + 1013904223U) >> 12));
    sum += destroy(root);
  }
  printf("%ld\n", sum);
}
