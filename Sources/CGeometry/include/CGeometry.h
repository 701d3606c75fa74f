/// A door to Google's S2 geometry library: regions of the sphere, whether a point lies in one, and the
/// cells that cover one.
///
/// S2 ends the process where its preconditions are not kept. So nothing here reaches it unchecked:
/// callers hand in finite longitudes within 180 and latitudes within 90 degrees (a point outside is
/// refused, not asserted), S2's own debugging checks are off, and no C++ exception leaves a function.
///
/// A region does not change once it is made, its index included: any number of threads may ask it at
/// the same time.
///
/// Library: https://s2geometry.io, version 0.10 (Debian's libs2-dev).
#ifndef HOLDFAST_CGEOMETRY_H
#define HOLDFAST_CGEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A region: a circle, or a polygon that may have holes.
typedef struct HFRegion HFRegion;

/// What is wrong with a region.
enum {
    HFREGION_SOUND = 0,
    /// There is no memory, or S2 failed.
    HFREGION_FAILED = 1,
    /// A longitude or latitude is out of bounds, or no number.
    HFREGION_OUT_OF_BOUNDS = 2,
    /// A ring has fewer than three different vertices.
    HFREGION_FEW_VERTICES = 3,
    /// A ring is not valid: it crosses or touches itself, or has antipodal neighbours.
    HFREGION_RING = 4,
    /// A ring that is not the first one does not lie within it.
    HFREGION_NOT_A_HOLE = 5,
    /// The rings do not go together: they cross, or share an edge.
    HFREGION_RINGS = 6,
    /// A hole shares more than one vertex with the ring around it.
    HFREGION_TOUCHING = 7,
    /// A hole lies within a hole.
    HFREGION_NESTED = 8,
    /// Thousands of edges lie so close beside each other that to compare them would take long.
    HFREGION_DENSE = 9,
};

/// The first fault of a region.
typedef struct {
    /// One of `HFREGION_…`.
    int kind;
    /// The ring concerned, from 0.
    size_t ring;
    /// The vertices that are left of the ring, where it has too few.
    size_t vertexCount;
    /// S2's words, ended by zero; may be empty.
    char text[160];
} HFRegionFault;

/// The circle of all points whose angle from the centre is `radians` or less; NULL with the fault.
///
/// `radians` is finite and not negative; what is above pi is the whole sphere.
HFRegion *HFRegionMakeCircle(
    double longitude, double latitude, double radians, HFRegionFault *fault);

/// A polygon whose edges are great circles; NULL with the fault.
///
/// `coordinates` holds longitude and latitude of each vertex, ring after ring, without the vertex that
/// closes a ring; `vertexCounts` one count for each ring. Vertices that repeat the one before are left
/// out. A ring of more than a hemisphere stands for the other side.
HFRegion *HFRegionMakePolygon(
    const double *coordinates, const size_t *vertexCounts, size_t ringCount, HFRegionFault *fault);

void HFRegionFree(HFRegion *region);

/// Whether a point lies in the region; never for one that is out of bounds or no number. No allocation.
bool HFRegionContains(const HFRegion *region, double longitude, double latitude);

/// A range of latitudes and longitudes, in degrees, around the region, a little wider than it. Where
/// `west` is greater than `east`, it goes across the 180th meridian.
typedef struct {
    double south;
    double north;
    double west;
    double east;
} HFBounds;

HFBounds HFRegionBounds(const HFRegion *region);

/// The leaf cells of at most about `cellCountMax` cells that together cover the region, as inclusive
/// ranges in order, not touching each other: up to `capacity` pairs of first and last. With 0 for `cellCountMax` few
/// large cells, found without a search.
///
/// Returns how many there are; 0 when S2 failed or `capacity` is too small, never for a region.
size_t HFRegionCover(
    const HFRegion *region, int cellCountMax, uint64_t *ranges, size_t capacity);

/// The leaf cell of a point; 0, which is none, for a point that is out of bounds or no number.
uint64_t HFLeafCell(double longitude, double latitude);

#ifdef __cplusplus
}
#endif

#endif
