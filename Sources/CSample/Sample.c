#include "CSample.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char schema[] = {
#embed "../../Examples/world/schema.json"
};

static const unsigned char continents[] = {
#embed "../../Examples/world/Continent.ndjson.gz"
};

static const unsigned char countries[] = {
#embed "../../Examples/world/Country.ndjson.gz"
};

static const unsigned char cities[] = {
#embed "../../Examples/world/City.ndjson.gz"
};

static const HFSampleFile world[] = {
    {0, schema, sizeof schema},
    {"Continent", continents, sizeof continents},
    {"Country", countries, sizeof countries},
    {"City", cities, sizeof cities},
    {0, 0, 0},
};

const HFSampleFile *HFSampleWorld(void) { return world; }
