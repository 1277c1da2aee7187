// Text with the C library: splitting, comparing, copying.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char text[] = "the quick brown fox jumps over the lazy dog while the robot turns left and the other goes right";
int main(void) {
  char line[256], word[64], *words[64];
  long sum = 0;
  for (int round = 0; round < 4000; ++round) {
    int n = 0;
    strcpy(line, text);
    for (char* at = strtok(line, " "); at; at = strtok(NULL, " ")) words[n++] = at;
    for (int i = 1; i < n; ++i) {
      char* key = words[i];
      int k = i;
      for (; k > 0 && strcmp(words[k - 1], key) > 0; --k) words[k] = words[k - 1];
      words[k] = key;
    }
    for (int i = 0; i < n; ++i) {
      strncpy(word, words[i], sizeof word - 1);
      word[63] = 0;
      sum += (long)strlen(word) * i + (strchr(word, 'o') != NULL) + (memcmp(word, "the", 3) == 0);
    }
  }
  printf("%ld\n", sum);
}
