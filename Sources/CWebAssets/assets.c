#include "CWebAssets.h"

/* #embed is C23; this compiler has it in every mode, and says so. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* One array and one row per file of public/. A test compares this list with the folder. */
static const unsigned char app_js[] = {
#embed "../../public/app.js"
};

static const unsigned char favicon_svg[] = {
#embed "../../public/favicon.svg"
};

static const unsigned char index_html[] = {
#embed "../../public/index.html"
};

static const unsigned char style_css[] = {
#embed "../../public/style.css"
};

static const struct heddle_web_asset assets[] = {
    {"/app.js", app_js, sizeof app_js},
    {"/favicon.svg", favicon_svg, sizeof favicon_svg},
    {"/index.html", index_html, sizeof index_html},
    {"/style.css", style_css, sizeof style_css},
};

const struct heddle_web_asset *heddle_web_assets(size_t *count) {
  *count = sizeof assets / sizeof assets[0];
  return assets;
}
