/* The folder public/, compiled into the program with #embed: in C because Swift has no such directive. */
#ifndef HEDDLE_CWEBASSETS_H
#define HEDDLE_CWEBASSETS_H

#include <stddef.h>

struct heddle_web_asset {
  const char *path;  /* begins with a slash, as in a request target */
  const unsigned char *bytes;
  size_t length;
};

/* The files, `*count` of them. */
const struct heddle_web_asset *heddle_web_assets(size_t *count);

#endif
