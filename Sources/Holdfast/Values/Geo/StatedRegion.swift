import HoldfastGeometry

/// A region of the Earth as an argument of a query: a box, a circle or a polygon.
///
///     places.filter("location geoWithin $0", circle)
protocol StatedRegion {
    /// The region as queries have it; checked when one runs.
    var shape: GeoShape { get }
}
