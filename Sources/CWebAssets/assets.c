#include "CWebAssets.h"

/* #embed is C23; this compiler has it in every mode, and says so. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* One array and one row per file of public/. A test compares this list with the folder. */
static const unsigned char index_html[] = {
#embed "../../public/index.html"
};

static const struct heddle_web_asset assets[] = {
    {"/index.html", index_html, sizeof index_html},
};

const struct heddle_web_asset *heddle_web_assets(size_t *count) {
  *count = sizeof assets / sizeof assets[0];
  return assets;
}
