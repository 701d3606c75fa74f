// Written by scripts/make-assets.
#include "CAssets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file0[] = {
#embed "../../clients/javascript/holdfast.d.ts"
};

static const unsigned char file1[] = {
#embed "../../clients/javascript/holdfast.js"
};

static const unsigned char file2[] = {
#embed "console/access/access.css"
};

static const unsigned char file3[] = {
#embed "console/access/access.js"
};

static const unsigned char file4[] = {
#embed "console/access/accounts.js"
};

static const unsigned char file5[] = {
#embed "console/access/audit.js"
};

static const unsigned char file6[] = {
#embed "console/access/places.js"
};

static const unsigned char file7[] = {
#embed "console/access/rules.js"
};

static const unsigned char file8[] = {
#embed "console/access/secret.js"
};

static const unsigned char file9[] = {
#embed "console/access/test.js"
};

static const unsigned char file10[] = {
#embed "console/access/tokens.js"
};

static const unsigned char file11[] = {
#embed "console/access/words.js"
};

static const unsigned char file12[] = {
#embed "console/codemirror/codemirror.css.gz"
};

static const unsigned char file13[] = {
#embed "console/codemirror/codemirror.js.gz"
};

static const unsigned char file14[] = {
#embed "console/codemirror/javascript.js.gz"
};

static const unsigned char file15[] = {
#embed "console/codemirror/matchbrackets.js.gz"
};

static const unsigned char file16[] = {
#embed "console/codemirror/show-hint.css.gz"
};

static const unsigned char file17[] = {
#embed "console/codemirror/show-hint.js.gz"
};

static const unsigned char file18[] = {
#embed "console/console.css"
};

static const unsigned char file19[] = {
#embed "console/console.js"
};

static const unsigned char file20[] = {
#embed "console/data/conflict.js"
};

static const unsigned char file21[] = {
#embed "console/data/field-collections.js"
};

static const unsigned char file22[] = {
#embed "console/data/field-link.js"
};

static const unsigned char file23[] = {
#embed "console/data/fields.css"
};

static const unsigned char file24[] = {
#embed "console/data/fields.js"
};

static const unsigned char file25[] = {
#embed "console/data/filter-box.js"
};

static const unsigned char file26[] = {
#embed "console/data/keys.js"
};

static const unsigned char file27[] = {
#embed "console/data/object-changes.js"
};

static const unsigned char file28[] = {
#embed "console/data/object-json.js"
};

static const unsigned char file29[] = {
#embed "console/data/object-large.js"
};

static const unsigned char file30[] = {
#embed "console/data/object-links.js"
};

static const unsigned char file31[] = {
#embed "console/data/object.css"
};

static const unsigned char file32[] = {
#embed "console/data/object.js"
};

static const unsigned char file33[] = {
#embed "console/data/overview.js"
};

static const unsigned char file34[] = {
#embed "console/data/patches.js"
};

static const unsigned char file35[] = {
#embed "console/data/table-cells.js"
};

static const unsigned char file36[] = {
#embed "console/data/table-grid.js"
};

static const unsigned char file37[] = {
#embed "console/data/table-live.js"
};

static const unsigned char file38[] = {
#embed "console/data/table-pages.js"
};

static const unsigned char file39[] = {
#embed "console/data/table-rows.js"
};

static const unsigned char file40[] = {
#embed "console/data/table.css"
};

static const unsigned char file41[] = {
#embed "console/data/table.js"
};

static const unsigned char file42[] = {
#embed "console/data/values.js"
};

static const unsigned char file43[] = {
#embed "console/figures/chart.js"
};

static const unsigned char file44[] = {
#embed "console/figures/figures.css"
};

static const unsigned char file45[] = {
#embed "console/figures/figures.js"
};

static const unsigned char file46[] = {
#embed "console/figures/list.js"
};

static const unsigned char file47[] = {
#embed "console/figures/samples.js"
};

static const unsigned char file48[] = {
#embed "console/frame/codemirror.css"
};

static const unsigned char file49[] = {
#embed "console/frame/elements.js"
};

static const unsigned char file50[] = {
#embed "console/frame/json.js"
};

static const unsigned char file51[] = {
#embed "console/frame/libraries.js"
};

static const unsigned char file52[] = {
#embed "console/frame/request-lines.js"
};

static const unsigned char file53[] = {
#embed "console/frame/schema.js"
};

static const unsigned char file54[] = {
#embed "console/frame/session.js"
};

static const unsigned char file55[] = {
#embed "console/frame/times.js"
};

static const unsigned char file56[] = {
#embed "console/frame/transfer.js"
};

static const unsigned char file57[] = {
#embed "console/index.html"
};

static const unsigned char file58[] = {
#embed "console/move/backups.js"
};

static const unsigned char file59[] = {
#embed "console/move/class.js"
};

static const unsigned char file60[] = {
#embed "console/move/csv.js"
};

static const unsigned char file61[] = {
#embed "console/move/export.js"
};

static const unsigned char file62[] = {
#embed "console/move/import.js"
};

static const unsigned char file63[] = {
#embed "console/move/move.css"
};

static const unsigned char file64[] = {
#embed "console/move/move.js"
};

static const unsigned char file65[] = {
#embed "console/move/options.js"
};

static const unsigned char file66[] = {
#embed "console/move/progress.js"
};

static const unsigned char file67[] = {
#embed "console/move/propose.js"
};

static const unsigned char file68[] = {
#embed "console/move/read.js"
};

static const unsigned char file69[] = {
#embed "console/move/realm.js"
};

static const unsigned char file70[] = {
#embed "console/move/report.js"
};

static const unsigned char file71[] = {
#embed "console/query/changes.js"
};

static const unsigned char file72[] = {
#embed "console/query/query.css"
};

static const unsigned char file73[] = {
#embed "console/query/query.js"
};

static const unsigned char file74[] = {
#embed "console/schema/change.js"
};

static const unsigned char file75[] = {
#embed "console/schema/diagram.js"
};

static const unsigned char file76[] = {
#embed "console/schema/edit.js"
};

static const unsigned char file77[] = {
#embed "console/schema/exact.js"
};

static const unsigned char file78[] = {
#embed "console/schema/fields.js"
};

static const unsigned char file79[] = {
#embed "console/schema/json.js"
};

static const unsigned char file80[] = {
#embed "console/schema/layout.js"
};

static const unsigned char file81[] = {
#embed "console/schema/property.js"
};

static const unsigned char file82[] = {
#embed "console/schema/rows.js"
};

static const unsigned char file83[] = {
#embed "console/schema/schema.css"
};

static const unsigned char file84[] = {
#embed "console/schema/schema.js"
};

static const unsigned char file85[] = {
#embed "console/schema/words.js"
};

static const unsigned char file86[] = {
#embed "console/tabulator/tabulator.min.css.gz"
};

static const unsigned char file87[] = {
#embed "console/tabulator/tabulator.min.js.gz"
};

static const unsigned char file88[] = {
#embed "docs/docs.css"
};

static const unsigned char file89[] = {
#embed "docs/docs.js"
};

static const unsigned char file90[] = {
#embed "docs/index.html"
};

static const unsigned char file91[] = {
#embed "../../openapi.yaml"
};

static const unsigned char file92[] = {
#embed "swagger-ui/swagger-ui-bundle.js.gz"
};

static const unsigned char file93[] = {
#embed "swagger-ui/swagger-ui.css.gz"
};

static const HFWebFile web[] = {
    {"/client/holdfast.d.ts", "holdfast.d.ts", false, file0, sizeof file0},
    {"/client/holdfast.js", "holdfast.js", false, file1, sizeof file1},
    {"/console/access/access.css", "access.css", false, file2, sizeof file2},
    {"/console/access/access.js", "access.js", false, file3, sizeof file3},
    {"/console/access/accounts.js", "accounts.js", false, file4, sizeof file4},
    {"/console/access/audit.js", "audit.js", false, file5, sizeof file5},
    {"/console/access/places.js", "places.js", false, file6, sizeof file6},
    {"/console/access/rules.js", "rules.js", false, file7, sizeof file7},
    {"/console/access/secret.js", "secret.js", false, file8, sizeof file8},
    {"/console/access/test.js", "test.js", false, file9, sizeof file9},
    {"/console/access/tokens.js", "tokens.js", false, file10, sizeof file10},
    {"/console/access/words.js", "words.js", false, file11, sizeof file11},
    {"/console/codemirror/codemirror.css", "codemirror.css", true, file12, sizeof file12},
    {"/console/codemirror/codemirror.js", "codemirror.js", true, file13, sizeof file13},
    {"/console/codemirror/javascript.js", "javascript.js", true, file14, sizeof file14},
    {"/console/codemirror/matchbrackets.js", "matchbrackets.js", true, file15, sizeof file15},
    {"/console/codemirror/show-hint.css", "show-hint.css", true, file16, sizeof file16},
    {"/console/codemirror/show-hint.js", "show-hint.js", true, file17, sizeof file17},
    {"/console/console.css", "console.css", false, file18, sizeof file18},
    {"/console/console.js", "console.js", false, file19, sizeof file19},
    {"/console/data/conflict.js", "conflict.js", false, file20, sizeof file20},
    {"/console/data/field-collections.js", "field-collections.js", false, file21, sizeof file21},
    {"/console/data/field-link.js", "field-link.js", false, file22, sizeof file22},
    {"/console/data/fields.css", "fields.css", false, file23, sizeof file23},
    {"/console/data/fields.js", "fields.js", false, file24, sizeof file24},
    {"/console/data/filter-box.js", "filter-box.js", false, file25, sizeof file25},
    {"/console/data/keys.js", "keys.js", false, file26, sizeof file26},
    {"/console/data/object-changes.js", "object-changes.js", false, file27, sizeof file27},
    {"/console/data/object-json.js", "object-json.js", false, file28, sizeof file28},
    {"/console/data/object-large.js", "object-large.js", false, file29, sizeof file29},
    {"/console/data/object-links.js", "object-links.js", false, file30, sizeof file30},
    {"/console/data/object.css", "object.css", false, file31, sizeof file31},
    {"/console/data/object.js", "object.js", false, file32, sizeof file32},
    {"/console/data/overview.js", "overview.js", false, file33, sizeof file33},
    {"/console/data/patches.js", "patches.js", false, file34, sizeof file34},
    {"/console/data/table-cells.js", "table-cells.js", false, file35, sizeof file35},
    {"/console/data/table-grid.js", "table-grid.js", false, file36, sizeof file36},
    {"/console/data/table-live.js", "table-live.js", false, file37, sizeof file37},
    {"/console/data/table-pages.js", "table-pages.js", false, file38, sizeof file38},
    {"/console/data/table-rows.js", "table-rows.js", false, file39, sizeof file39},
    {"/console/data/table.css", "table.css", false, file40, sizeof file40},
    {"/console/data/table.js", "table.js", false, file41, sizeof file41},
    {"/console/data/values.js", "values.js", false, file42, sizeof file42},
    {"/console/figures/chart.js", "chart.js", false, file43, sizeof file43},
    {"/console/figures/figures.css", "figures.css", false, file44, sizeof file44},
    {"/console/figures/figures.js", "figures.js", false, file45, sizeof file45},
    {"/console/figures/list.js", "list.js", false, file46, sizeof file46},
    {"/console/figures/samples.js", "samples.js", false, file47, sizeof file47},
    {"/console/frame/codemirror.css", "codemirror.css", false, file48, sizeof file48},
    {"/console/frame/elements.js", "elements.js", false, file49, sizeof file49},
    {"/console/frame/json.js", "json.js", false, file50, sizeof file50},
    {"/console/frame/libraries.js", "libraries.js", false, file51, sizeof file51},
    {"/console/frame/request-lines.js", "request-lines.js", false, file52, sizeof file52},
    {"/console/frame/schema.js", "schema.js", false, file53, sizeof file53},
    {"/console/frame/session.js", "session.js", false, file54, sizeof file54},
    {"/console/frame/times.js", "times.js", false, file55, sizeof file55},
    {"/console/frame/transfer.js", "transfer.js", false, file56, sizeof file56},
    {"/console/", "index.html", false, file57, sizeof file57},
    {"/console/move/backups.js", "backups.js", false, file58, sizeof file58},
    {"/console/move/class.js", "class.js", false, file59, sizeof file59},
    {"/console/move/csv.js", "csv.js", false, file60, sizeof file60},
    {"/console/move/export.js", "export.js", false, file61, sizeof file61},
    {"/console/move/import.js", "import.js", false, file62, sizeof file62},
    {"/console/move/move.css", "move.css", false, file63, sizeof file63},
    {"/console/move/move.js", "move.js", false, file64, sizeof file64},
    {"/console/move/options.js", "options.js", false, file65, sizeof file65},
    {"/console/move/progress.js", "progress.js", false, file66, sizeof file66},
    {"/console/move/propose.js", "propose.js", false, file67, sizeof file67},
    {"/console/move/read.js", "read.js", false, file68, sizeof file68},
    {"/console/move/realm.js", "realm.js", false, file69, sizeof file69},
    {"/console/move/report.js", "report.js", false, file70, sizeof file70},
    {"/console/query/changes.js", "changes.js", false, file71, sizeof file71},
    {"/console/query/query.css", "query.css", false, file72, sizeof file72},
    {"/console/query/query.js", "query.js", false, file73, sizeof file73},
    {"/console/schema/change.js", "change.js", false, file74, sizeof file74},
    {"/console/schema/diagram.js", "diagram.js", false, file75, sizeof file75},
    {"/console/schema/edit.js", "edit.js", false, file76, sizeof file76},
    {"/console/schema/exact.js", "exact.js", false, file77, sizeof file77},
    {"/console/schema/fields.js", "fields.js", false, file78, sizeof file78},
    {"/console/schema/json.js", "json.js", false, file79, sizeof file79},
    {"/console/schema/layout.js", "layout.js", false, file80, sizeof file80},
    {"/console/schema/property.js", "property.js", false, file81, sizeof file81},
    {"/console/schema/rows.js", "rows.js", false, file82, sizeof file82},
    {"/console/schema/schema.css", "schema.css", false, file83, sizeof file83},
    {"/console/schema/schema.js", "schema.js", false, file84, sizeof file84},
    {"/console/schema/words.js", "words.js", false, file85, sizeof file85},
    {"/console/tabulator/tabulator.min.css", "tabulator.min.css", true, file86, sizeof file86},
    {"/console/tabulator/tabulator.min.js", "tabulator.min.js", true, file87, sizeof file87},
    {"/docs/docs.css", "docs.css", false, file88, sizeof file88},
    {"/docs/docs.js", "docs.js", false, file89, sizeof file89},
    {"/docs/", "index.html", false, file90, sizeof file90},
    {"/docs/openapi.yaml", "openapi.yaml", false, file91, sizeof file91},
    {"/docs/swagger-ui-bundle.js", "swagger-ui-bundle.js", true, file92, sizeof file92},
    {"/docs/swagger-ui.css", "swagger-ui.css", true, file93, sizeof file93},
    {0, 0, false, 0, 0},
};

const HFWebFile *HFWebFiles(void) { return web; }
