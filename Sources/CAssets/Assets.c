#include "CAssets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char docsPage[] = {
#embed "docs/index.html"
};

static const unsigned char docsScript[] = {
#embed "docs/docs.js"
};

static const unsigned char docsStyle[] = {
#embed "docs/docs.css"
};

static const unsigned char viewerScript[] = {
#embed "swagger-ui/swagger-ui-bundle.js.gz"
};

static const unsigned char viewerStyle[] = {
#embed "swagger-ui/swagger-ui.css.gz"
};

static const unsigned char contract[] = {
#embed "../../openapi.yaml"
};

static const unsigned char client[] = {
#embed "../../clients/javascript/holdfast.js"
};

static const unsigned char clientTypes[] = {
#embed "../../clients/javascript/holdfast.d.ts"
};

static const HFWebFile web[] = {
    {"/docs/", "index.html", false, docsPage, sizeof docsPage},
    {"/docs/docs.js", "docs.js", false, docsScript, sizeof docsScript},
    {"/docs/docs.css", "docs.css", false, docsStyle, sizeof docsStyle},
    {"/docs/swagger-ui-bundle.js", "swagger-ui-bundle.js", true, viewerScript, sizeof viewerScript},
    {"/docs/swagger-ui.css", "swagger-ui.css", true, viewerStyle, sizeof viewerStyle},
    {"/docs/openapi.yaml", "openapi.yaml", false, contract, sizeof contract},
    {"/client/holdfast.js", "holdfast.js", false, client, sizeof client},
    {"/client/holdfast.d.ts", "holdfast.d.ts", false, clientTypes, sizeof clientTypes},
    {0, 0, false, 0, 0},
};

const HFWebFile *HFWebFiles(void) { return web; }
