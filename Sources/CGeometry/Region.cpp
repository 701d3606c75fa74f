#include "CGeometry.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <s2/mutable_s2shape_index.h>
#include <s2/s2cap.h>
#include <s2/s2cell_id.h>
#include <s2/s2error.h>
#include <s2/s2latlng.h>
#include <s2/s2latlng_rect.h>
#include <s2/s2lax_polyline_shape.h>
#include <s2/s2loop.h>
#include <s2/s2polygon.h>
#include <s2/s2region_coverer.h>

/// Exactly one of the two is there.
struct HFRegion {
    std::unique_ptr<const S2Polygon> polygon;
    S2Cap cap = S2Cap::Empty();
    /// The radius of `cap` as it was asked for: S2 keeps it squared, which loses digits near pi.
    double radians = 0;

    const S2Region &region() const {
        if (polygon) return *polygon;
        return cap;
    }
};

namespace {

/// How much wider bounds and covers are made than what S2 says, so that no rounding makes them too
/// small. S2 takes the longitudes of a circle that nearly touches a pole from the arcsine of nearly 1,
/// which is good to 1e-6 degrees only.
constexpr double boundsMarginDegrees = 1e-5;
constexpr double coverMarginRadians = 1e-12;
/// S2 compares each edge of a polygon with those that share a cell of its index: so many pairs take some 50 ms. Coasts and borders of
/// 10,000 edges have some 40,000; long edges close beside each other have half the square of their number.
constexpr double edgePairCountMax = 4e6;
/// Circles that are all but a small rest of the sphere are covered as the sphere.
constexpr double wholeRadians = 3.14;

bool isInBounds(double longitude, double latitude) {
    return std::fabs(longitude) <= 180 && std::fabs(latitude) <= 90;
}

/// The point of the sphere. The same degrees always give the same bits, so that a stored point can be a
/// vertex of a region.
S2Point point(double longitude, double latitude) {
    return S2LatLng::FromDegrees(latitude, longitude).ToPoint();
}

/// Notes a fault and makes the caller's result.
HFRegion *fail(HFRegionFault *fault, int kind, size_t ring = 0, const std::string &text = "") {
    fault->kind = kind;
    fault->ring = ring;
    size_t count = std::min(text.size(), sizeof fault->text - 1);
    std::memcpy(fault->text, text.data(), count);
    fault->text[count] = 0;
    return nullptr;
}

/// The different vertices of a ring; none when one is out of bounds.
std::vector<S2Point> vertices(const double *coordinates, size_t count, bool *isInside) {
    std::vector<S2Point> points;
    points.reserve(count);
    *isInside = true;
    for (size_t vertex = 0; vertex < count; vertex++) {
        double longitude = coordinates[2 * vertex], latitude = coordinates[2 * vertex + 1];
        if (!isInBounds(longitude, latitude)) {
            *isInside = false;
            return {};
        }
        points.push_back(point(longitude, latitude));
    }
    points.erase(std::unique(points.begin(), points.end()), points.end());
    while (points.size() > 1 && points.front() == points.back()) points.pop_back();
    return points;
}

/// Whether the edges of rings lie so close beside each other that to compare them would take long. Cost: about 1 µs for a vertex.
bool isDense(const std::vector<std::vector<S2Point>> &rings) {
    MutableS2ShapeIndex index;
    for (const auto &ring : rings) {
        std::vector<S2Point> line(ring);
        line.push_back(ring.front());
        index.Add(std::make_unique<S2LaxPolylineShape>(line));
    }
    double pairCount = 0;
    for (MutableS2ShapeIndex::Iterator cell(&index, S2ShapeIndex::BEGIN); !cell.done();
         cell.Next()) {
        double edgeCount = 0;
        for (int shape = 0; shape < cell.cell().num_clipped(); shape++) {
            edgeCount += cell.cell().clipped(shape).num_edges();
        }
        pairCount += edgeCount * edgeCount / 2;
    }
    return pairCount > edgePairCountMax;
}

HFRegion *makePolygon(const double *coordinates, const size_t *vertexCounts, size_t ringCount,
                      HFRegionFault *fault) {
    std::vector<std::vector<S2Point>> rings;
    rings.reserve(ringCount);
    for (size_t ring = 0; ring < ringCount; ring++) {
        bool isInside;
        rings.push_back(vertices(coordinates, vertexCounts[ring], &isInside));
        coordinates += 2 * vertexCounts[ring];
        if (!isInside) return fail(fault, HFREGION_OUT_OF_BOUNDS, ring);
        if (rings.back().size() < 3) {
            fault->vertexCount = rings.back().size();
            return fail(fault, HFREGION_FEW_VERTICES, ring);
        }
    }
    if (isDense(rings)) return fail(fault, HFREGION_DENSE);
    std::vector<std::unique_ptr<S2Loop>> loops;
    loops.reserve(ringCount);
    for (size_t ring = 0; ring < ringCount; ring++) {
        auto loop = std::make_unique<S2Loop>(rings[ring], S2Debug::DISABLE);
        S2Error error;
        if (loop->FindValidationError(&error)) {
            return fail(fault, HFREGION_RING, ring, error.text());
        }
        loop->Normalize();
        if (ring > 0 && !loops.front()->Contains(*loop)) {
            return fail(fault, HFREGION_NOT_A_HOLE, ring);
        }
        loops.push_back(std::move(loop));
    }
    auto polygon = std::make_unique<S2Polygon>();
    polygon->set_s2debug_override(S2Debug::DISABLE);
    polygon->InitNested(std::move(loops));
    S2Error error;
    // One ring was compared with itself above.
    if (ringCount > 1 && polygon->FindValidationError(&error)) return fail(fault, HFREGION_RINGS, 0, error.text());
    if (!polygon->IsNormalized()) return fail(fault, HFREGION_TOUCHING);
    for (int loop = 0; loop < polygon->num_loops(); loop++) {
        if (polygon->loop(loop)->depth() > 1) return fail(fault, HFREGION_NESTED);
    }
    // Made now, by this thread, so that asking the region changes nothing in it.
    polygon->index().ForceBuild();
    auto region = std::make_unique<HFRegion>();
    region->polygon = std::move(polygon);
    return region.release();
}

}  // namespace

HFRegion *HFRegionMakeCircle(double longitude, double latitude, double radians,
                             HFRegionFault *fault) {
    *fault = HFRegionFault{};
    try {
        if (!isInBounds(longitude, latitude)) return fail(fault, HFREGION_OUT_OF_BOUNDS);
        if (!(radians >= 0)) return fail(fault, HFREGION_FAILED);
        auto region = std::make_unique<HFRegion>();
        region->cap = S2Cap(point(longitude, latitude),
                            S1ChordAngle(S1Angle::Radians(std::min(radians, M_PI))));
        region->radians = radians;
        return region.release();
    } catch (...) {
        return fail(fault, HFREGION_FAILED);
    }
}

HFRegion *HFRegionMakePolygon(const double *coordinates, const size_t *vertexCounts,
                              size_t ringCount, HFRegionFault *fault) {
    *fault = HFRegionFault{};
    try {
        return makePolygon(coordinates, vertexCounts, ringCount, fault);
    } catch (...) {
        return fail(fault, HFREGION_FAILED);
    }
}

void HFRegionFree(HFRegion *region) { delete region; }

bool HFRegionContains(const HFRegion *region, double longitude, double latitude) {
    if (!isInBounds(longitude, latitude)) return false;
    S2Point asked = point(longitude, latitude);
    return region->polygon ? region->polygon->Contains(asked) : region->cap.Contains(asked);
}

HFBounds HFRegionBounds(const HFRegion *region) {
    S2LatLngRect bounds = region->region().GetRectBound().Expanded(
        S2LatLng::FromDegrees(boundsMarginDegrees, boundsMarginDegrees));
    if (bounds.lng().is_full()) {
        return {bounds.lat_lo().degrees(), bounds.lat_hi().degrees(), -360, 360};
    }
    return {bounds.lat_lo().degrees(), bounds.lat_hi().degrees(), bounds.lng_lo().degrees(),
            bounds.lng_hi().degrees()};
}

size_t HFRegionCover(const HFRegion *region, int cellCountMax, uint64_t *ranges, size_t capacity) {
    try {
        std::vector<S2CellId> cells;
        auto cover = [&](const S2Region &covered) {
            S2RegionCoverer coverer;
            if (cellCountMax == 0) return coverer.GetFastCovering(covered, &cells);
            coverer.mutable_options()->set_max_cells(cellCountMax);
            coverer.GetCovering(covered, &cells);
        };
        if (region->polygon) {
            cover(*region->polygon);
        } else {
            S2Cap wider = region->radians >= wholeRadians
                ? S2Cap::Full()
                : S2Cap(region->cap.center(), S1ChordAngle(S1Angle::Radians(
                                                  region->radians + coverMarginRadians)));
            cover(wider);
        }
        std::sort(cells.begin(), cells.end());
        size_t count = 0;
        for (S2CellId cell : cells) {
            uint64_t first = cell.range_min().id(), last = cell.range_max().id();
            // Ids of leaf cells that follow each other differ by two.
            if (count > 0 && first <= ranges[2 * count - 1] + 2) {
                ranges[2 * count - 1] = std::max(ranges[2 * count - 1], last);
                continue;
            }
            if (count == capacity) return 0;
            ranges[2 * count] = first;
            ranges[2 * count + 1] = last;
            count++;
        }
        return count;
    } catch (...) {
        return 0;
    }
}

uint64_t HFLeafCell(double longitude, double latitude) {
    if (!isInBounds(longitude, latitude)) return 0;
    return S2CellId(point(longitude, latitude)).id();
}
